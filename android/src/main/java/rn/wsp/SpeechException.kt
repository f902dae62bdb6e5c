// What the package throws. It knows neither Android nor React Native.
package rn.wsp

/** What went wrong, in a sentence that says what to do. [code]: of `whisper_ext_code` in the C interface. */
class SpeechException(val code: Int, message: String) : Exception(message) {
  companion object {
    const val INVALID_ARGUMENT = 1
    const val NOT_FOUND = 2
    const val BAD_FORMAT = 3
    const val UNSUPPORTED = 4
    const val CANCELLED = 6
    const val IO = 7
    const val BUSY = 8
  }
}
