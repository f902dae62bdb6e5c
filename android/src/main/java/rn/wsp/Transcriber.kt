// Transcription without JavaScript, for services and work that outlives the app's screen.
package rn.wsp

import java.io.Closeable

/**
 * A loaded model. Calls from several threads take turns; [cancel] does not wait, [close] waits for the call that runs. After
 * [close] every call throws [SpeechException].
 */
class Transcriber private constructor(private var handle: Long) : Closeable {
  private val turn = Any()

  /** Guards [handle] for [cancel], which must not wait for a turn. */
  private val life = Any()

  /**
   * The text of a recording: a path, or what [FileOpener] opens, in any format that WAV or [AudioDecoder] covers. [language]: a code
   * such as "en", or "auto". [threads]: 0 for the core's choice. Throws [SpeechException], with code CANCELLED after [cancel].
   */
  @JvmOverloads
  fun transcribe(path: String, language: String = "auto", threads: Int = 0): String =
    synchronized(turn) {
      val open = synchronized(life) { opened().also { TranscriberLibrary.setCancelled(it, false) } }
      TranscriberLibrary.transcribe(open, path, language, threads)
    }

  /** Stops the call that runs, within one operation of the core. Without effect if none does. */
  fun cancel() = synchronized(life) { if (handle != 0L) TranscriberLibrary.setCancelled(handle, true) }

  /** Frees the model; once is enough. */
  override fun close() {
    cancel()
    synchronized(turn) {
      synchronized(life) {
        if (handle != 0L) TranscriberLibrary.release(handle)
        handle = 0L
      }
    }
  }

  private fun opened(): Long {
    if (handle == 0L) throw SpeechException(SpeechException.INVALID_ARGUMENT, "the transcriber is closed; load the model again")
    return handle
  }

  companion object {
    /** Loads a model from a path, `asset://` or `content://`. Takes a while: not for the main thread. */
    @JvmStatic fun load(path: String): Transcriber = Transcriber(TranscriberLibrary.load(path))
  }
}

/** Native methods of transcriber.cpp. */
internal object TranscriberLibrary {
  init {
    System.loadLibrary("wsprn_core")
  }

  @JvmStatic external fun load(path: String): Long

  @JvmStatic external fun transcribe(handle: Long, path: String, language: String, threads: Int): String

  @JvmStatic external fun setCancelled(handle: Long, isCancelled: Boolean)

  @JvmStatic external fun release(handle: Long)
}
