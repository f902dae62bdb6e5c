// The microphone as 16 kHz mono, with what happens to it: permission, other apps, calls.
package rn.wsp

import android.Manifest
import android.annotation.SuppressLint
import android.content.Context
import android.content.pm.PackageManager
import android.media.AudioAttributes
import android.media.AudioFocusRequest
import android.media.AudioFormat
import android.media.AudioManager
import android.media.AudioRecord
import android.media.MediaRecorder
import android.os.Build

/** An open microphone, 16 kHz mono; AudioRecord, or a test's. */
interface Recorder {
  fun start()

  /** Waits for samples; how many came, or a negative number of AudioRecord. */
  fun read(into: FloatArray): Int

  /** Ends a [read] that waits. */
  fun stop()

  fun release()
}

/** What else of the device a microphone needs; Android, or a test's. */
interface RecordingDevice {
  val hasPermission: Boolean

  /** Null if there is no microphone or another app has it for itself. */
  fun open(): Recorder?

  /** Asks other sound to be silent. [changed]: true when we have the focus again, false when somebody took it. */
  fun requestFocus(changed: (Boolean) -> Unit): Boolean

  fun abandonFocus()
}

enum class MicrophoneState {
  STOPPED,
  RUNNING,
  /** A call or another app has it; it runs again by itself when that ends. */
  INTERRUPTED,
}

/**
 * Records from [start] to [stop]. [samples] gets sound on a thread of its own; [change] is told where it stands, with why it stopped
 * by itself. All methods may be called from any thread.
 */
class Microphone(
  private val device: RecordingDevice,
  private val samples: SampleSink,
  private val change: (MicrophoneState, SpeechException?) -> Unit = { _, _ -> },
) {
  constructor(
    context: Context,
    samples: SampleSink,
    change: (MicrophoneState, SpeechException?) -> Unit,
  ) : this(AndroidRecording(context.applicationContext), samples, change)

  private val lock = Any()
  private var thread: Thread? = null
  private var recorder: Recorder? = null

  var state = MicrophoneState.STOPPED
    private set

  /** Throws [SpeechException] without permission, without a microphone, and while another app has it. */
  fun start() =
    synchronized(lock) {
      if (state != MicrophoneState.STOPPED) return
      if (!device.hasPermission) {
        throw SpeechException(
          SpeechException.UNSUPPORTED,
          "the app may not record; declare android.permission.RECORD_AUDIO in its manifest and ask the user for it before",
        )
      }
      if (!device.requestFocus(::focusChanged)) {
        throw SpeechException(SpeechException.BUSY, "another app has the sound, such as a call; try again when it ends")
      }
      record()
      enter(MicrophoneState.RUNNING)
    }

  /** Ends the recording and lets others sound again. Waits for a [samples] that runs, unless it is called from there. */
  fun stop() {
    val ended = synchronized(lock) {
      if (state == MicrophoneState.STOPPED) return
      device.abandonFocus()
      enter(MicrophoneState.STOPPED)
      silence()
    }
    if (ended !== Thread.currentThread()) ended?.join()
  }

  private fun focusChanged(isOurs: Boolean) =
    synchronized(lock) {
      if (!isOurs && state == MicrophoneState.RUNNING) {
        silence()
        enter(MicrophoneState.INTERRUPTED)
      } else if (isOurs && state == MicrophoneState.INTERRUPTED) {
        try {
          record()
          enter(MicrophoneState.RUNNING)
        } catch (error: SpeechException) {
          fail(error)
        }
      }
    }

  private fun record() {
    val opened =
      device.open() ?: run {
        device.abandonFocus()
        throw SpeechException(SpeechException.IO, "no microphone can be opened; another app may record, or the device has none")
      }
    recorder = opened
    opened.start()
    thread = Thread({ listen(opened) }, "wsp microphone").apply { start() }
  }

  private fun listen(from: Recorder) {
    val block = FloatArray(BLOCK_SAMPLES)
    try {
      while (synchronized(lock) { recorder === from }) {
        val count = from.read(block)
        if (count < 0) {
          val isCurrent = synchronized(lock) { recorder === from }
          if (isCurrent) fail(SpeechException(SpeechException.IO, "the microphone stopped with Android's error $count"))
          return
        }
        if (count > 0 && !samples.receive(block, count)) return stop()
      }
    } finally {
      from.release()
    }
  }

  // The thread that listened; it releases what it read from.
  private fun silence(): Thread? {
    recorder?.stop()
    recorder = null
    return thread.also { thread = null }
  }

  private fun fail(error: SpeechException) =
    synchronized(lock) {
      device.abandonFocus()
      silence()
      enter(MicrophoneState.STOPPED, error)
    }

  private fun enter(next: MicrophoneState, error: SpeechException? = null) {
    state = next
    change(next, error)
  }

  private companion object {
    const val BLOCK_SAMPLES = 1600
  }
}

/** AudioRecord and AudioManager. */
internal class AndroidRecording(private val context: Context) : RecordingDevice {
  private val manager = context.getSystemService(Context.AUDIO_SERVICE) as AudioManager
  private var focus: AudioFocusRequest? = null

  override val hasPermission: Boolean
    get() = context.checkSelfPermission(Manifest.permission.RECORD_AUDIO) == PackageManager.PERMISSION_GRANTED

  @SuppressLint("MissingPermission") // Microphone.start() asks.
  override fun open(): Recorder? {
    val channel = AudioFormat.CHANNEL_IN_MONO
    val encoding = AudioFormat.ENCODING_PCM_FLOAT
    val least = AudioRecord.getMinBufferSize(Resampler.SPEECH_HZ, channel, encoding)
    if (least <= 0) return null
    val source = MediaRecorder.AudioSource.VOICE_RECOGNITION
    val record = AudioRecord(source, Resampler.SPEECH_HZ, channel, encoding, maxOf(least, BUFFER_BYTES))
    if (record.state == AudioRecord.STATE_INITIALIZED) return OpenRecord(record)
    record.release()
    return null
  }

  override fun requestFocus(changed: (Boolean) -> Unit): Boolean {
    val listener =
      AudioManager.OnAudioFocusChangeListener { change ->
        if (change == AudioManager.AUDIOFOCUS_GAIN) changed(true) else if (change < 0) changed(false)
      }
    if (Build.VERSION.SDK_INT < Build.VERSION_CODES.O) {
      oldListener = listener
      @Suppress("DEPRECATION")
      val answer = manager.requestAudioFocus(listener, AudioManager.STREAM_MUSIC, AudioManager.AUDIOFOCUS_GAIN_TRANSIENT_EXCLUSIVE)
      return answer == AudioManager.AUDIOFOCUS_REQUEST_GRANTED
    }
    val attributes = AudioAttributes.Builder().setContentType(AudioAttributes.CONTENT_TYPE_SPEECH).build()
    val request =
      AudioFocusRequest.Builder(AudioManager.AUDIOFOCUS_GAIN_TRANSIENT_EXCLUSIVE)
        .setAudioAttributes(attributes)
        .setOnAudioFocusChangeListener(listener)
        .build()
    focus = request
    return manager.requestAudioFocus(request) == AudioManager.AUDIOFOCUS_REQUEST_GRANTED
  }

  private var oldListener: AudioManager.OnAudioFocusChangeListener? = null

  override fun abandonFocus() {
    if (Build.VERSION.SDK_INT >= Build.VERSION_CODES.O) {
      focus?.let(manager::abandonAudioFocusRequest)
      focus = null
    }
    @Suppress("DEPRECATION") oldListener?.let(manager::abandonAudioFocus)
    oldListener = null
  }

  private class OpenRecord(private val record: AudioRecord) : Recorder {
    override fun start() = record.startRecording()

    override fun read(into: FloatArray): Int = record.read(into, 0, into.size, AudioRecord.READ_BLOCKING)

    override fun stop() {
      // Throws where it was never started.
      runCatching { record.stop() }
    }

    override fun release() = record.release()
  }

  private companion object {
    // Half a second of floats.
    const val BUFFER_BYTES = 32000
  }
}
