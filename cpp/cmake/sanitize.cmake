# Sanitizers, for every target of the tree, so that library and tests agree.
if(SPEECH_SANITIZE)
  add_compile_options(-fsanitize=${SPEECH_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${SPEECH_SANITIZE})
endif()
