// Block by block is the whole at once; channels are averaged; a full sink ends it.
package rn.wsp

import kotlin.math.sin
import org.junit.Assert.assertArrayEquals
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertThrows
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.RobolectricTestRunner
import org.robolectric.annotation.Config

@RunWith(RobolectricTestRunner::class)
@Config(sdk = [35], manifest = Config.NONE)
class ResamplerTest {
  private fun sound(count: Int) = FloatArray(count) { sin(it * 0.03f) + sin(it * 0.0071f) * 0.5f }

  private class Collected : SampleSink {
    val samples = mutableListOf<Float>()

    override fun receive(samples: FloatArray, count: Int): Boolean {
      for (i in 0 until count) this.samples += samples[i]
      return true
    }
  }

  @Test
  fun `pieces of any length give what the whole gives`() {
    for ((rate, seconds) in listOf(8000 to 4.3, 44100 to 3.0, 48000 to 2.4, 16000 to 5.1, 22050 to 0.2)) {
      val whole = sound((rate * seconds).toInt())
      val out = Collected()
      val resampler = Resampler(rate, 1, out)
      for (block in whole.toList().chunked(7777)) resampler.push(block.toFloatArray(), block.size)
      resampler.finish()
      assertArrayEquals("$rate Hz", PlatformLibrary.resample(whole, rate, 16000), out.samples.toFloatArray(), 0f)
    }
  }

  @Test
  fun `channels are averaged`() {
    val out = Collected()
    val resampler = Resampler(16000, 2, out)
    resampler.push(floatArrayOf(1f, 0f, 0.5f, -0.5f), 4)
    resampler.finish()
    assertEquals(listOf(0.5f, 0f), out.samples)
  }

  @Test
  fun `a sink that has enough ends it`() {
    val resampler = Resampler(8000, 1, { _, _ -> false })
    assertFalse(resampler.push(sound(30_000), 30_000))
  }

  @Test
  fun `what is no sound is refused`() {
    assertThrows(IllegalArgumentException::class.java) { Resampler(0, 1, Collected()) }
    assertThrows(IllegalArgumentException::class.java) { Resampler(16000, 0, Collected()) }
    assertThrows(IllegalArgumentException::class.java) { Resampler(16000, 2, Collected()).push(FloatArray(3), 3) }
  }
}
