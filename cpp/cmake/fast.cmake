# What computes is compiled for speed in a build for size, too (MinSizeRel): it is a tenth of the code and all of the time.
# Called in the folder that lists the files.
function(speech_fast)
  if(NOT MSVC)
    # TARGET_DIRECTORY: the sources belong to a target of the folder above.
    set_property(SOURCE ${ARGN} TARGET_DIRECTORY speech APPEND PROPERTY COMPILE_OPTIONS $<$<CONFIG:MinSizeRel>:-O2>)
  endif()
endfunction()
