// Android's decoders, as Robolectric plays them: tracks of a file become 16 kHz mono.
package rn.wsp

import android.media.MediaFormat
import java.nio.ByteBuffer
import java.nio.ByteOrder
import org.junit.Assert.assertArrayEquals
import org.junit.Assert.assertEquals
import org.junit.Assert.assertTrue
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.RobolectricTestRunner
import org.robolectric.annotation.Config
import org.robolectric.shadows.ShadowMediaCodec
import org.robolectric.shadows.ShadowMediaExtractor
import org.robolectric.shadows.util.DataSource

@RunWith(RobolectricTestRunner::class)
@Config(sdk = [35], manifest = Config.NONE)
class MediaDecoderTest {
  private val decoder = MediaDecoder(AndroidFiles(application))

  private fun decoded(path: String): FloatArray {
    val out = mutableListOf<Float>()
    decoder.decode(path) { samples, count -> out.addAll(samples.take(count)) }
    return out.toFloatArray()
  }

  private fun add(path: String, mime: String, rate: Int, channels: Int, samples: ShortArray) {
    val bytes = ByteBuffer.allocate(samples.size * 2).order(ByteOrder.nativeOrder())
    bytes.asShortBuffer().put(samples)
    ShadowMediaExtractor.addTrack(DataSource.toDataSource(path), MediaFormat.createAudioFormat(mime, rate, channels), bytes.array())
    val copy = ShadowMediaCodec.CodecConfig.Codec { from, to -> to.put(from) }
    ShadowMediaCodec.addDecoder(mime, ShadowMediaCodec.CodecConfig(1 shl 14, 1 shl 14, copy))
  }

  @Test
  fun `a track of two channels becomes speech of one`() {
    val frames = 20_000
    val samples = ShortArray(frames * 2) { (if (it % 2 == 0) 8000 else 0).toShort() }
    add("/music.m4a", "audio/mp4a-latm", 44100, 2, samples)
    val expected = PlatformLibrary.resample(FloatArray(frames) { 4000 / 32768f }, 44100, 16000)
    assertArrayEquals(expected, decoded("/music.m4a"), 1e-6f)
  }

  @Test
  fun `the first track with sound is taken`() {
    val format = MediaFormat.createVideoFormat("video/avc", 8, 8)
    ShadowMediaExtractor.addTrack(DataSource.toDataSource("/film.mp4"), format, ByteArray(10))
    add("/film.mp4", "audio/mpeg", 16000, 1, ShortArray(100) { 3277 })
    assertEquals(100, decoded("/film.mp4").size)
  }

  @Test
  fun `a file without sound is told`() {
    val format = MediaFormat.createVideoFormat("video/avc", 8, 8)
    ShadowMediaExtractor.addTrack(DataSource.toDataSource("/silent.mp4"), format, ByteArray(10))
    val error = failure { decoded("/silent.mp4") }
    assertEquals(SpeechException.BAD_FORMAT, error.code)
    assertTrue(error.message, error.message!!.contains("has no sound"))
  }

  @Test
  fun `a file that is not there is told`() {
    val error = failure { decoded("asset://none.mp3") }
    assertEquals(SpeechException.NOT_FOUND, error.code)
  }
}
