/* Proves that the package's headers compile as C and that its library links and answers. */
#include <stdio.h>

#include "whisper.h"
#include "whisper_ext.h"

int main(void) {
  const char* version = whisper_version();
  if (version == NULL || version[0] == '\0') {
    return 1;
  }
  printf("whisper.h %s, last error code %d\n", version, whisper_ext_last_error_code());
  return whisper_ext_last_error_code() == WHISPER_EXT_OK ? 0 : 1;
}
