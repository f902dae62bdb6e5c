// Real speech through the library that an app gets: loaded from assets, transcribed, cancelled, released.
package rn.wsp

import java.io.File
import java.util.concurrent.Executors
import java.util.concurrent.TimeUnit
import org.junit.After
import org.junit.Assert.assertEquals
import org.junit.Assert.assertTrue
import org.junit.Before
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.RobolectricTestRunner
import org.robolectric.annotation.Config

@RunWith(RobolectricTestRunner::class)
@Config(sdk = [35], manifest = Config.NONE)
class TranscriberTest {
  private val worker = Executors.newSingleThreadExecutor()
  private val text = File(property("wsp.sample").replace(".wav", ".txt")).readText().trim()

  @Before
  fun install() {
    val files = AndroidFiles(application)
    PlatformLibrary.install(Platform(files) { path, sink -> decode(path, sink) })
    val assets = mapOf("models/tiny.en.bin" to property("wsp.model"), "speech.wav" to property("wsp.sample"))
    addAssets(assets.mapValues { File(it.value).readBytes() }, mapOf("packed.bin" to ByteArray(10_000)))
  }

  @After
  fun end() {
    worker.shutdownNow()
  }

  // A "format" that is the samples after four letters: a decoder that this machine has.
  private fun decode(path: String, sink: SampleSink) {
    val bytes = File(path).readBytes()
    if (String(bytes, 0, 4) != "OURS") throw SpeechException(SpeechException.BAD_FORMAT, "no sound in $path")
    val samples = MediaDecoder.samplesOf(java.nio.ByteBuffer.wrap(bytes, 4, bytes.size - 4).slice(), isFloat = false)
    val resampler = Resampler(16000, 1, sink)
    if (resampler.push(samples, samples.size)) resampler.finish()
  }

  private fun load() = Transcriber.load("asset://models/tiny.en.bin")

  @Test
  fun `speech in assets becomes its text with a model in assets`() {
    load().use { assertEquals(text, it.transcribe("asset://speech.wav", "en").trim()) }
  }

  @Test
  fun `what the core cannot decode comes through the decoder`() {
    val wav = File(property("wsp.sample")).readBytes()
    val other = File.createTempFile("speech", ".ours").apply { writeBytes("OURS".toByteArray() + wav.copyOfRange(44, wav.size)) }
    load().use { transcriber ->
      assertEquals(text, transcriber.transcribe(other.path, "en").trim())
      other.writeText("nothing")
      val error = failure { transcriber.transcribe(other.path) }
      assertEquals(SpeechException.BAD_FORMAT, error.code)
      assertTrue(error.message, error.message!!.contains("no sound in"))
    }
  }

  @Test
  fun `a call is cancelled and the next one runs`() {
    load().use { transcriber ->
      val running = worker.submit<SpeechException> { failure { transcriber.transcribe(property("wsp.long"), "en") } }
      Thread.sleep(500)
      transcriber.cancel()
      assertEquals(SpeechException.CANCELLED, running.get(20, TimeUnit.SECONDS).code)
      assertEquals(text, transcriber.transcribe("asset://speech.wav", "en").trim())
    }
  }

  @Test
  fun `closing ends the call that runs and refuses the next`() {
    val transcriber = load()
    val running = worker.submit<SpeechException> { failure { transcriber.transcribe(property("wsp.long"), "en") } }
    Thread.sleep(500)
    transcriber.close()
    assertEquals(SpeechException.CANCELLED, running.get(20, TimeUnit.SECONDS).code)
    transcriber.close()
    transcriber.cancel()
    val error = failure { transcriber.transcribe("asset://speech.wav") }
    assertTrue(error.message, error.message!!.contains("load the model again"))
  }

  @Test
  fun `models that cannot be loaded are told with what to do`() {
    val packed = failure { Transcriber.load("asset://packed.bin") }
    assertTrue(packed.message, packed.message!!.contains("noCompress"))
    val missing = failure { Transcriber.load("asset://models/none.bin") }
    assertTrue(missing.message, missing.message!!.contains("no asset models/none.bin"))
    val wrong = failure { Transcriber.load("asset://speech.wav") }
    assertEquals(SpeechException.BAD_FORMAT, wrong.code)
    val language = load().use { transcriber -> failure { transcriber.transcribe("asset://speech.wav", "xx") } }
    assertEquals(SpeechException.INVALID_ARGUMENT, language.code)
  }

  @Test
  fun `texts beyond the plane of most letters cross the border whole`() {
    val error = failure { Transcriber.load("/nowhere/\uD83C\uDF99\u00FC\uD800.bin") }
    assertTrue(error.message, error.message!!.contains("/nowhere/\uD83C\uDF99\u00FC\uFFFD.bin"))
  }
}
