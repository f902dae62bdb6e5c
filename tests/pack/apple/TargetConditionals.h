// Which of Apple's systems is compiled for, as a test says it.
#pragma once
#ifndef TARGET_OS_OSX
#define TARGET_OS_OSX 0
#endif
#define TARGET_OS_IPHONE (!TARGET_OS_OSX)
