// Sound of any rate and any number of channels as 16 kHz mono, block by block.
package rn.wsp

/** Makes whole recordings at another rate; the core's filter, or a test's. */
fun interface RateConverter {
  fun convert(samples: FloatArray, fromHz: Int, toHz: Int): FloatArray
}

/**
 * Averages channels and brings sound of [rateHz] to 16 kHz, in pieces of any length. Its output is that of the whole recording at
 * once: a second is converted between the second before it and the one behind it, which is more than the filter reaches.
 */
class Resampler(
  private val rateHz: Int,
  private val channels: Int,
  private val sink: SampleSink,
  private val converter: RateConverter = RateConverter(PlatformLibrary::resample),
) {
  init {
    require(rateHz in 1..1_000_000 && channels > 0) { "the sound has $rateHz Hz and $channels channels" }
  }

  // The second before the next one to be converted, that one, and the one behind it.
  private val window = FloatArray(3 * rateHz)
  private var filled = 0
  private var isFirst = true

  /** Interleaved samples, whole frames; false once the sink has enough. */
  fun push(frames: FloatArray, count: Int): Boolean {
    require(count % channels == 0) { "$count samples are no whole frames of $channels channels" }
    var at = 0
    while (at < count) {
      var sum = 0f
      for (channel in 0 until channels) sum += frames[at + channel]
      at += channels
      window[filled++] = sum / channels
      if (filled == window.size && !convertSecond()) return false
    }
    return true
  }

  /** The rest. */
  fun finish(): Boolean {
    if (filled == 0) return true
    val made = converter.convert(window.copyOf(filled), rateHz, SPEECH_HZ)
    val skipped = if (isFirst) 0 else SPEECH_HZ
    filled = 0
    return made.size <= skipped || sink.receive(made.copyOfRange(skipped, made.size), made.size - skipped)
  }

  // Of the first window also its first second, before which there is silence.
  private fun convertSecond(): Boolean {
    val made = converter.convert(window, rateHz, SPEECH_HZ)
    val from = if (isFirst) 0 else SPEECH_HZ
    isFirst = false
    window.copyInto(window, 0, rateHz, window.size)
    filled = 2 * rateHz
    return sink.receive(made.copyOfRange(from, 2 * SPEECH_HZ), 2 * SPEECH_HZ - from)
  }

  companion object {
    /** What the core hears. */
    const val SPEECH_HZ = 16000
  }
}
