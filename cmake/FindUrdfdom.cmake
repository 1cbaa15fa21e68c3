# Finds urdfdom's model parser, with the headers of its types and the logger it writes to.
#
#   find_package(Urdfdom REQUIRED)
#
# Urdfdom::Model is the imported target.
include(FindPackageHandleStandardArgs)

find_path(Urdfdom_INCLUDE_DIR urdf_parser/urdf_parser.h)
find_path(Urdfdom_log_INCLUDE_DIR console_bridge/console.h)
find_library(Urdfdom_LIBRARY urdfdom_model)
find_library(Urdfdom_log_LIBRARY console_bridge)
mark_as_advanced(Urdfdom_INCLUDE_DIR Urdfdom_log_INCLUDE_DIR Urdfdom_LIBRARY Urdfdom_log_LIBRARY)

find_package_handle_standard_args(Urdfdom REQUIRED_VARS Urdfdom_LIBRARY Urdfdom_log_LIBRARY Urdfdom_INCLUDE_DIR
                                  Urdfdom_log_INCLUDE_DIR)
if(Urdfdom_FOUND AND NOT TARGET Urdfdom::Model)
  add_library(Urdfdom::Model UNKNOWN IMPORTED)
  set_target_properties(Urdfdom::Model PROPERTIES
    IMPORTED_LOCATION ${Urdfdom_LIBRARY}
    INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${Urdfdom_INCLUDE_DIR};${Urdfdom_log_INCLUDE_DIR}"
    INTERFACE_INCLUDE_DIRECTORIES "${Urdfdom_INCLUDE_DIR};${Urdfdom_log_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES ${Urdfdom_log_LIBRARY})
endif()
