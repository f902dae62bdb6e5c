// Gives the core its way to Android before anything else of the app runs, JavaScript included.
package rn.wsp

import android.content.ContentProvider
import android.content.ContentValues
import android.database.Cursor
import android.net.Uri

/** Provides no content: the system makes it when the app's process starts, with the app's context. */
class WspProvider : ContentProvider() {
  override fun onCreate(): Boolean {
    context?.let(Platform::install)
    return true
  }

  override fun query(uri: Uri, columns: Array<String>?, where: String?, values: Array<String>?, order: String?): Cursor? = null

  override fun getType(uri: Uri): String? = null

  override fun insert(uri: Uri, values: ContentValues?): Uri? = null

  override fun delete(uri: Uri, where: String?, values: Array<String>?): Int = 0

  override fun update(uri: Uri, content: ContentValues?, where: String?, values: Array<String>?): Int = 0
}
