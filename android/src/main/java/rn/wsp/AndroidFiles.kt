// Assets of the app and content of other apps as open files: nothing is read into memory.
package rn.wsp

import android.annotation.SuppressLint
import android.content.Context
import android.content.res.AssetFileDescriptor
import android.content.res.Resources
import android.net.Uri
import android.os.ParcelFileDescriptor
import java.io.File
import java.io.FileNotFoundException
import java.io.FileOutputStream
import java.io.IOException

/**
 * Opens `asset://path` below the APK's assets, `resource://name` among its raw resources, where React Native's bundler puts files,
 * and `content://` through the content resolver.
 */
class AndroidFiles(private val context: Context) : FileOpener {
  override fun open(path: String): OpenedFile =
    descriptorOf(path).use { file ->
      // What the core gets lives on when Android's object is closed.
      OpenedFile(PlatformLibrary.duplicate(file.parcelFileDescriptor.fd), file.startOffset, file.declaredLength)
    }

  /** The open regular file; the caller closes it. Throws as [open] does. */
  fun descriptorOf(path: String): AssetFileDescriptor =
    when {
      path.startsWith(ASSET) -> openAsset(path.removePrefix(ASSET))
      path.startsWith(RESOURCE) -> openResource(path.removePrefix(RESOURCE))
      else -> openContent(path)
    }

  private fun openAsset(name: String): AssetFileDescriptor =
    try {
      context.assets.openFd(name)
    } catch (error: FileNotFoundException) {
      throw whyNot(name)
    } catch (error: IOException) {
      throw SpeechException(SpeechException.IO, "the asset $name cannot be opened: ${error.message}")
    }

  @SuppressLint("DiscouragedApi") // The name comes from JavaScript.
  private fun openResource(name: String): AssetFileDescriptor {
    val id = context.resources.getIdentifier(name, "raw", context.packageName)
    if (id == 0) throw SpeechException(SpeechException.NOT_FOUND, "there is no raw resource $name in the app")
    return try {
      context.resources.openRawResourceFd(id)
    } catch (error: Resources.NotFoundException) {
      throw compressed("resource", name)
    } ?: throw compressed("resource", name)
  }

  // The system gives no descriptor for what is compressed, and the same exception for what is not there.
  private fun whyNot(name: String): SpeechException {
    val exists = runCatching { context.assets.open(name).close() }.isSuccess
    if (!exists) {
      return SpeechException(SpeechException.NOT_FOUND, "there is no asset $name in the app; paths begin below its assets folder")
    }
    return compressed("asset", name)
  }

  private fun compressed(kind: String, name: String): SpeechException =
    SpeechException(
      SpeechException.UNSUPPORTED,
      "the $kind $name is compressed in the APK; add `androidResources { noCompress += \"${name.substringAfterLast('.', "bin")}\" }` " +
        "to the app's android block in build.gradle and build it again",
    )

  private fun openContent(path: String): AssetFileDescriptor {
    val content =
      try {
        context.contentResolver.openAssetFileDescriptor(Uri.parse(path), "r")
      } catch (error: FileNotFoundException) {
        throw SpeechException(SpeechException.NOT_FOUND, "$path is not there: ${error.message}")
      } catch (error: SecurityException) {
        throw SpeechException(
          SpeechException.IO,
          "the app may not read $path: ${error.message}; ask the user for it again, or take a persistable permission for it",
        )
      }
    content ?: throw SpeechException(SpeechException.NOT_FOUND, "nobody provides $path")
    val isPart = content.startOffset > 0 || content.declaredLength >= 0
    return if (isPart || content.parcelFileDescriptor.statSize >= 0) content else spooled(content)
  }

  // A pipe of a provider whose file is elsewhere: the core reads by place, so it goes through a file without a name.
  private fun spooled(content: AssetFileDescriptor): AssetFileDescriptor {
    val file = File.createTempFile("speech", null, context.cacheDir)
    try {
      content.createInputStream().use { from -> FileOutputStream(file).use { to -> from.copyTo(to) } }
      val opened = ParcelFileDescriptor.open(file, ParcelFileDescriptor.MODE_READ_ONLY)
      return AssetFileDescriptor(opened, 0, AssetFileDescriptor.UNKNOWN_LENGTH)
    } catch (error: IOException) {
      throw SpeechException(SpeechException.IO, "the content could not be fetched: ${error.message}")
    } finally {
      file.delete()
    }
  }

  private companion object {
    const val ASSET = "asset://"
    const val RESOURCE = "resource://"
  }
}
