// A foreground service for recording and transcription while the app is out of sight.
package rn.wsp

import android.app.Notification
import android.app.Service
import android.content.Intent
import android.content.pm.ServiceInfo
import android.os.Build
import android.os.IBinder

/**
 * The base of an app's service: it goes into the foreground with [notification] as Android asks, within seconds of its start, and
 * leaves it when it is destroyed. The app declares its own subclass with `foregroundServiceType="microphone"`, and the permissions
 * FOREGROUND_SERVICE and FOREGROUND_SERVICE_MICROPHONE.
 */
abstract class SpeechService : Service() {
  /** What the user sees meanwhile. */
  abstract fun notification(): Notification

  /** It is in the foreground now: record, transcribe. On the main thread. */
  abstract fun onForeground(intent: Intent?)

  /** Of the notification; not 0. */
  open val notificationId: Int = 0x575350

  override fun onStartCommand(intent: Intent?, flags: Int, startId: Int): Int {
    if (Build.VERSION.SDK_INT >= Build.VERSION_CODES.R) {
      startForeground(notificationId, notification(), ServiceInfo.FOREGROUND_SERVICE_TYPE_MICROPHONE)
    } else {
      startForeground(notificationId, notification())
    }
    onForeground(intent)
    return START_NOT_STICKY
  }

  override fun onBind(intent: Intent?): IBinder? = null
}
