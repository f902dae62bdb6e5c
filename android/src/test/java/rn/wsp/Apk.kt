// An archive like an app's APK, and Robolectric's app with its assets.
package rn.wsp

import android.content.Context
import java.io.File
import java.util.zip.CRC32
import java.util.zip.ZipEntry
import java.util.zip.ZipOutputStream
import org.robolectric.RuntimeEnvironment

internal val application: Context
  get() = RuntimeEnvironment.getApplication()

internal fun property(name: String): String = checkNotNull(System.getProperty(name)) { "test_jvm.py sets $name" }

/** Writes assets into an APK, stored or compressed, and adds them to those of [application]. */
internal fun addAssets(stored: Map<String, ByteArray>, compressed: Map<String, ByteArray> = emptyMap()) {
  val apk = File.createTempFile("assets", ".apk").apply { deleteOnExit() }
  ZipOutputStream(apk.outputStream().buffered()).use { zip ->
    for ((name, content) in stored) {
      val entry = ZipEntry("assets/$name").apply {
        method = ZipEntry.STORED
        size = content.size.toLong()
        crc = CRC32().apply { update(content) }.value
      }
      zip.putNextEntry(entry)
      zip.write(content)
    }
    for ((name, content) in compressed) {
      zip.putNextEntry(ZipEntry("assets/$name"))
      zip.write(content)
    }
  }
  val added = application.assets.javaClass.getMethod("addAssetPath", String::class.java).invoke(application.assets, apk.path)
  check(added as Int > 0) { "Robolectric does not take the APK" }
}

/** The sentence and code of what [work] throws. */
internal fun failure(work: () -> Unit): SpeechException =
  try {
    work()
    throw AssertionError("it threw nothing")
  } catch (error: SpeechException) {
    error
  }
