// What the core asks of Android: to open paths that the system does not know, to decode recordings.
package rn.wsp

import android.content.Context

/** Bytes of an open regular file. [descriptor] is the core's from now on. [length] -1: to the file's end. */
class OpenedFile(val descriptor: Int, val offset: Long, val length: Long)

/** Opens `asset://models/base.bin`, `content://...` and what else has a scheme. Called from any thread. */
fun interface FileOpener {
  /** Throws [SpeechException] with what to do if it cannot. */
  fun open(path: String): OpenedFile
}

/** Receives 16 kHz mono samples in [-1, 1], [count] of them; false: no more are wanted. */
fun interface SampleSink {
  fun receive(samples: FloatArray, count: Int): Boolean
}

/** Decodes recordings that are no WAV files. Called from any thread. */
fun interface AudioDecoder {
  /** From the beginning to the end, or until [sink] has enough. Throws if it cannot. */
  fun decode(path: String, sink: SampleSink)
}

/** Both together, as the library calls them. Names and types of the methods are known to platform.cpp. */
class Platform(private val opener: FileOpener, private val decoder: AudioDecoder) {
  @Suppress("unused") // called from platform.cpp
  fun open(path: String): LongArray {
    val file = opener.open(path)
    return longArrayOf(file.descriptor.toLong(), file.offset, file.length)
  }

  @Suppress("unused") // called from platform.cpp
  fun decode(path: String, receiver: Long) {
    decoder.decode(path) { samples, count -> PlatformLibrary.receive(receiver, samples, count) }
  }

  companion object {
    private var installed = false

    /** Once for the process; WspProvider does it when the app starts. */
    @Synchronized
    fun install(context: Context) {
      if (installed) return
      val files = AndroidFiles(context.applicationContext)
      PlatformLibrary.install(Platform(files, MediaDecoder(files)))
      installed = true
    }
  }
}

/** Native methods of platform.cpp. */
internal object PlatformLibrary {
  init {
    System.loadLibrary("wsprn_core")
  }

  @JvmStatic external fun install(platform: Platform)

  /** Another descriptor of the same open file. Throws [SpeechException] if there is none left. */
  @JvmStatic external fun duplicate(descriptor: Int): Int

  @JvmStatic external fun receive(receiver: Long, samples: FloatArray, count: Int): Boolean

  /** The whole of `samples` at another rate, by the core's filter. */
  @JvmStatic external fun resample(samples: FloatArray, fromHz: Int, toHz: Int): FloatArray
}
