// What Android asks of an app that holds a model: memory is short, nobody looks at the app.
package rn.wsp

import android.content.ComponentCallbacks2
import android.content.Context
import android.content.res.Configuration

enum class SystemEvent {
  /** Free what is not in use, or the app may be ended. */
  MEMORY_IS_SHORT,
  ENTERED_BACKGROUND,
}

/** Observes from its making to [close]; [handler] is called on the main thread. */
class SystemEvents(context: Context, private val handler: (SystemEvent) -> Unit) : ComponentCallbacks2, AutoCloseable {
  private val application = context.applicationContext

  init {
    application.registerComponentCallbacks(this)
  }

  @Suppress("DEPRECATION") // Before Android 14 all levels are sent.
  override fun onTrimMemory(level: Int) {
    when {
      level == ComponentCallbacks2.TRIM_MEMORY_UI_HIDDEN -> handler(SystemEvent.ENTERED_BACKGROUND)
      level == ComponentCallbacks2.TRIM_MEMORY_RUNNING_LOW -> handler(SystemEvent.MEMORY_IS_SHORT)
      level == ComponentCallbacks2.TRIM_MEMORY_RUNNING_CRITICAL -> handler(SystemEvent.MEMORY_IS_SHORT)
      level >= ComponentCallbacks2.TRIM_MEMORY_BACKGROUND -> handler(SystemEvent.MEMORY_IS_SHORT)
    }
  }

  @Deprecated("Android's own")
  override fun onLowMemory() = handler(SystemEvent.MEMORY_IS_SHORT)

  override fun onConfigurationChanged(configuration: Configuration) = Unit

  override fun close() = application.unregisterComponentCallbacks(this)
}
