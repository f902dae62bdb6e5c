// Assets and content as the core gets them: open files, or a sentence that says what to do.
package rn.wsp

import android.content.ContentProvider
import android.content.ContentValues
import android.database.Cursor
import android.net.Uri
import android.os.ParcelFileDescriptor
import java.io.File
import java.io.FileNotFoundException
import java.io.RandomAccessFile
import org.junit.Assert.assertEquals
import org.junit.Assert.assertTrue
import org.junit.Before
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.Robolectric
import org.robolectric.RobolectricTestRunner
import org.robolectric.annotation.Config

@RunWith(RobolectricTestRunner::class)
@Config(sdk = [35], manifest = Config.NONE)
class AndroidFilesTest {
  private val files = AndroidFiles(application)
  private val bytes = "the bytes of a model".toByteArray()

  private fun read(file: OpenedFile): String =
    RandomAccessFile("/proc/self/fd/${file.descriptor}", "r").use {
      val length = if (file.length >= 0) file.length else it.length() - file.offset
      it.seek(file.offset)
      String(ByteArray(length.toInt()).also(it::readFully))
    }

  @Before
  fun provide() {
    Robolectric.buildContentProvider(Provider::class.java).create("other.app")
  }

  @Test
  fun `an asset is a part of the archive`() {
    addAssets(mapOf("before.bin" to ByteArray(1000), "models/a.bin" to bytes))
    val opened = files.open("asset://models/a.bin")
    assertEquals("the bytes of a model", read(opened))
    assertTrue("offset ${opened.offset}", opened.offset > 1000)
  }

  @Test
  fun `an asset that is compressed is told with the line that mends it`() {
    addAssets(emptyMap(), mapOf("models/b.bin" to ByteArray(10_000)))
    val error = failure { files.open("asset://models/b.bin") }
    assertEquals(SpeechException.UNSUPPORTED, error.code)
    assertTrue(error.message, error.message!!.contains("""noCompress += "bin""""))
  }

  @Test
  fun `an asset that is not there is told`() {
    val error = failure { files.open("asset://models/c.bin") }
    assertEquals(SpeechException.NOT_FOUND, error.code)
    assertTrue(error.message, error.message!!.contains("no asset models/c.bin"))
  }

  @Test
  fun `a resource that is not there is told`() {
    val error = failure { files.open("resource://models_tiny") }
    assertEquals(SpeechException.NOT_FOUND, error.code)
    assertTrue(error.message, error.message!!.contains("no raw resource models_tiny"))
  }

  @Test
  fun `content of another app is opened where it is`() {
    assertEquals("the bytes of a model", read(files.open("content://other.app/file")))
  }

  @Test
  fun `content that comes through a pipe becomes a file`() {
    val before = application.cacheDir.list().orEmpty().size
    assertEquals("the bytes of a model", read(files.open("content://other.app/pipe")))
    assertEquals(before, application.cacheDir.list().orEmpty().size)
  }

  @Test
  fun `content that is not there or not ours to read is told`() {
    val missing = failure { files.open("content://other.app/missing") }
    assertEquals(SpeechException.NOT_FOUND, missing.code)
    val nobody = failure { files.open("content://nobody.at.all/x") }
    assertEquals(SpeechException.NOT_FOUND, nobody.code)
    val forbidden = failure { files.open("content://other.app/forbidden") }
    assertEquals(SpeechException.IO, forbidden.code)
    assertTrue(forbidden.message, forbidden.message!!.contains("persistable permission"))
  }

  class Provider : ContentProvider() {
    override fun openFile(uri: Uri, mode: String): ParcelFileDescriptor {
      val content = "the bytes of a model".toByteArray()
      return when (uri.lastPathSegment) {
        "file" -> {
          val file = File.createTempFile("content", null).apply { writeBytes(content) }
          ParcelFileDescriptor.open(file, ParcelFileDescriptor.MODE_READ_ONLY)
        }
        "pipe" -> {
          val (from, to) = ParcelFileDescriptor.createPipe()
          ParcelFileDescriptor.AutoCloseOutputStream(to).use { it.write(content) }
          from
        }
        "forbidden" -> throw SecurityException("Permission Denial")
        else -> throw FileNotFoundException("$uri")
      }
    }

    override fun onCreate(): Boolean = true

    override fun query(uri: Uri, columns: Array<String>?, where: String?, values: Array<String>?, order: String?): Cursor? = null

    override fun getType(uri: Uri): String? = null

    override fun insert(uri: Uri, values: ContentValues?): Uri? = null

    override fun delete(uri: Uri, where: String?, values: Array<String>?): Int = 0

    override fun update(uri: Uri, content: ContentValues?, where: String?, values: Array<String>?): Int = 0
  }
}
