# Qt's meta objects of a target's headers as one file that includes them: OUT. Not AUTOMOC: it gives moc the folders of
# Qt's headers, and moc reads all that a header includes, forty times as long for the same output.
# Run as a script with MOC, ROOT (what headers are named from), LIST (a file that names headers, a line each), and OUT,
# in whose folder moc's outputs stand.
file(STRINGS ${LIST} headers)
get_filename_component(folder ${OUT} DIRECTORY)
set(all "")
foreach(header ${headers})
  file(STRINGS ${header} has REGEX "^ *Q_(OBJECT|GADGET)" LIMIT_COUNT 1)
  if(has)
    file(RELATIVE_PATH name ${ROOT} ${header})
    string(REPLACE "/" "_" name ${name})
    set(output ${folder}/moc_${name}.cpp)
    if(${header} IS_NEWER_THAN ${output} OR ${MOC} IS_NEWER_THAN ${output})
      execute_process(COMMAND ${MOC} ${header} -o ${output} COMMAND_ERROR_IS_FATAL ANY)
    endif()
    string(APPEND all "#include \"moc_${name}.cpp\"\n")
  endif()
endforeach()
file(WRITE ${OUT} "${all}")
