// A microphone's states, with a device that a test plays: permission, other apps, errors.
package rn.wsp

import java.util.concurrent.LinkedBlockingQueue
import java.util.concurrent.TimeUnit
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertTrue
import org.junit.Test

class MicrophoneTest {
  private class Played : RecordingDevice {
    override var hasPermission = true
    var hasMicrophone = true
    var givesFocus = true
    var hasFocus = false
    lateinit var changed: (Boolean) -> Unit
    val blocks = LinkedBlockingQueue<Int>()
    val open = mutableListOf<Recording>()

    inner class Recording : Recorder {
      @Volatile var isStopped = false
      @Volatile var isReleased = false

      override fun start() = Unit

      override fun read(into: FloatArray): Int {
        while (!isStopped) {
          val count = blocks.poll(5, TimeUnit.MILLISECONDS) ?: continue
          into.fill(0.5f, 0, maxOf(0, count))
          return count
        }
        return 0
      }

      override fun stop() {
        isStopped = true
      }

      override fun release() {
        isReleased = true
      }
    }

    override fun open(): Recorder? = if (hasMicrophone) Recording().also(open::add) else null

    override fun requestFocus(changed: (Boolean) -> Unit): Boolean {
      this.changed = changed
      hasFocus = givesFocus
      return givesFocus
    }

    override fun abandonFocus() {
      hasFocus = false
    }
  }

  private val device = Played()
  private val heard = LinkedBlockingQueue<Int>()
  private val states = LinkedBlockingQueue<Pair<MicrophoneState, SpeechException?>>()
  private val microphone = Microphone(device, { _, count -> heard.add(count) }, { state, why -> states.add(state to why) })

  private fun next() = checkNotNull(states.poll(5, TimeUnit.SECONDS)) { "no change of state" }

  private fun listen(count: Int) {
    device.blocks.add(count)
    assertEquals(count, heard.poll(5, TimeUnit.SECONDS))
  }

  @Test
  fun `sound comes from start to stop`() {
    microphone.start()
    microphone.start()
    assertEquals(MicrophoneState.RUNNING, next().first)
    listen(1600)
    listen(7)
    microphone.stop()
    microphone.stop()
    assertEquals(MicrophoneState.STOPPED to null, next())
    assertTrue(device.open.single().isReleased)
    assertFalse(device.hasFocus)
    assertTrue(states.isEmpty())
  }

  @Test
  fun `without permission it says which one`() {
    device.hasPermission = false
    val error = failure { microphone.start() }
    assertTrue(error.message, error.message!!.contains("android.permission.RECORD_AUDIO"))
    assertEquals(MicrophoneState.STOPPED, microphone.state)
    assertTrue(device.open.isEmpty())
  }

  @Test
  fun `during a call and without a microphone it does not start`() {
    device.givesFocus = false
    assertEquals(SpeechException.BUSY, failure { microphone.start() }.code)
    device.givesFocus = true
    device.hasMicrophone = false
    assertEquals(SpeechException.IO, failure { microphone.start() }.code)
    assertFalse(device.hasFocus)
    assertEquals(MicrophoneState.STOPPED, microphone.state)
  }

  @Test
  fun `a call interrupts it and it runs again afterwards`() {
    microphone.start()
    next()
    device.changed(false)
    assertEquals(MicrophoneState.INTERRUPTED, next().first)
    device.changed(false)
    device.changed(true)
    assertEquals(MicrophoneState.RUNNING, next().first)
    listen(3)
    assertEquals(2, device.open.size)
    microphone.stop()
    assertTrue(device.open.last().isReleased)
  }

  @Test
  fun `stopped during a call it stays so`() {
    microphone.start()
    next()
    device.changed(false)
    next()
    microphone.stop()
    assertEquals(MicrophoneState.STOPPED, next().first)
    device.changed(true)
    assertEquals(MicrophoneState.STOPPED, microphone.state)
  }

  @Test
  fun `an error of the device stops it and says which`() {
    microphone.start()
    next()
    device.blocks.add(-6)
    val (state, why) = next()
    assertEquals(MicrophoneState.STOPPED, state)
    assertTrue(why?.message, why!!.message!!.contains("-6"))
    assertFalse(device.hasFocus)
  }

  @Test
  fun `whoever listens may stop it`() {
    val states = LinkedBlockingQueue<MicrophoneState>()
    lateinit var own: Microphone
    own = Microphone(device, { _, _ -> own.stop(); false }, { state, _ -> states.add(state) })
    own.start()
    device.blocks.add(1)
    assertEquals(MicrophoneState.RUNNING, states.poll(5, TimeUnit.SECONDS))
    assertEquals(MicrophoneState.STOPPED, states.poll(5, TimeUnit.SECONDS))
  }
}
