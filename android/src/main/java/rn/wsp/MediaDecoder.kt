// Recordings in every format that the system decodes: m4a, mp3, ogg, flac and others.
package rn.wsp

import android.media.AudioFormat
import android.media.MediaCodec
import android.media.MediaExtractor
import android.media.MediaFormat
import java.io.IOException
import java.nio.ByteBuffer
import java.nio.ByteOrder

/** Decodes by MediaExtractor and MediaCodec. */
class MediaDecoder(private val files: AndroidFiles) : AudioDecoder {
  override fun decode(path: String, sink: SampleSink) {
    val extractor = MediaExtractor()
    try {
      setSource(extractor, path)
      decodeFrom(extractor, path, sink)
    } catch (error: IOException) {
      throw SpeechException(SpeechException.BAD_FORMAT, "Android knows no sound in $path: ${error.message}")
    } catch (error: IllegalStateException) {
      // MediaCodec.CodecException is one.
      throw SpeechException(SpeechException.BAD_FORMAT, "Android cannot decode $path: ${error.message}")
    } finally {
      extractor.release()
    }
  }

  private fun setSource(extractor: MediaExtractor, path: String) {
    if (!path.contains("://")) return extractor.setDataSource(path)
    // The extractor keeps a descriptor of its own.
    files.descriptorOf(path).use { file ->
      val length = if (file.declaredLength >= 0) file.declaredLength else file.parcelFileDescriptor.statSize - file.startOffset
      extractor.setDataSource(file.fileDescriptor, file.startOffset, length)
    }
  }

  private fun decodeFrom(extractor: MediaExtractor, path: String, sink: SampleSink) {
    val track = (0 until extractor.trackCount).firstOrNull { mimeOf(extractor.getTrackFormat(it)).startsWith("audio/") }
    track ?: throw SpeechException(SpeechException.BAD_FORMAT, "$path has no sound that Android can decode")
    extractor.selectTrack(track)
    val format = extractor.getTrackFormat(track)
    val codec = MediaCodec.createDecoderByType(mimeOf(format))
    try {
      codec.configure(format, null, null, 0)
      codec.start()
      Decoding(extractor, codec, format, sink).run()
    } finally {
      codec.release()
    }
  }

  private fun mimeOf(format: MediaFormat): String = format.getString(MediaFormat.KEY_MIME).orEmpty()

  // One decoding from beginning to end.
  private class Decoding(
    private val extractor: MediaExtractor,
    private val codec: MediaCodec,
    format: MediaFormat,
    private val sink: SampleSink,
  ) {
    private var resampler = resamplerOf(format)
    private var isFloat = false
    private val info = MediaCodec.BufferInfo()

    fun run() {
      var isFed = false
      while (true) {
        if (!isFed) isFed = feed()
        val index = codec.dequeueOutputBuffer(info, TIMEOUT_US)
        if (index == MediaCodec.INFO_OUTPUT_FORMAT_CHANGED) {
          change(codec.outputFormat)
        } else if (index >= 0) {
          val goesOn = take(index)
          codec.releaseOutputBuffer(index, false)
          if (!goesOn) return
          if (info.flags and MediaCodec.BUFFER_FLAG_END_OF_STREAM != 0) break
        }
      }
      resampler.finish()
    }

    private fun feed(): Boolean {
      val index = codec.dequeueInputBuffer(TIMEOUT_US)
      if (index < 0) return false
      val size = extractor.readSampleData(checkNotNull(codec.getInputBuffer(index)), 0)
      if (size < 0) {
        codec.queueInputBuffer(index, 0, 0, 0, MediaCodec.BUFFER_FLAG_END_OF_STREAM)
        return true
      }
      codec.queueInputBuffer(index, 0, size, extractor.sampleTime, 0)
      extractor.advance()
      return false
    }

    // What the decoder makes may differ from what the file said: HE-AAC doubles the rate.
    private fun change(format: MediaFormat) {
      resampler.finish()
      resampler = resamplerOf(format)
      val encoding =
        if (format.containsKey(MediaFormat.KEY_PCM_ENCODING)) format.getInteger(MediaFormat.KEY_PCM_ENCODING)
        else AudioFormat.ENCODING_PCM_16BIT
      isFloat = encoding == AudioFormat.ENCODING_PCM_FLOAT
      check(isFloat || encoding == AudioFormat.ENCODING_PCM_16BIT) { "the decoder gives samples of encoding $encoding" }
    }

    private fun take(index: Int): Boolean {
      val bytes = checkNotNull(codec.getOutputBuffer(index)).duplicate()
      bytes.position(info.offset).limit(info.offset + info.size)
      val samples = samplesOf(bytes, isFloat)
      return resampler.push(samples, samples.size)
    }

    private fun resamplerOf(format: MediaFormat): Resampler =
      Resampler(
        format.getInteger(MediaFormat.KEY_SAMPLE_RATE),
        format.getInteger(MediaFormat.KEY_CHANNEL_COUNT),
        sink,
      )
  }

  companion object {
    private const val TIMEOUT_US = 10_000L
    private const val FULL_SCALE = 32768f

    /** Interleaved samples in [-1, 1] of a decoder's buffer, from its position to its limit. */
    internal fun samplesOf(bytes: ByteBuffer, isFloat: Boolean): FloatArray {
      val ordered = bytes.order(ByteOrder.nativeOrder())
      if (isFloat) {
        val floats = ordered.asFloatBuffer()
        return FloatArray(floats.remaining()).also { floats.get(it) }
      }
      val shorts = ordered.asShortBuffer()
      return FloatArray(shorts.remaining()) { shorts.get() / FULL_SCALE }
    }
  }
}
