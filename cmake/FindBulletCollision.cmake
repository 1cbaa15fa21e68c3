# Finds Bullet's collision library, the float64 build, whose own CMake config is broken on Debian.
#
#   find_package(BulletCollision REQUIRED)
#
# BulletCollision::BulletCollision is the imported target; it defines BT_USE_DOUBLE_PRECISION, without which the headers
# do not fit the library.
include(FindPackageHandleStandardArgs)

find_path(BulletCollision_INCLUDE_DIR BulletCollision/BroadphaseCollision/btDbvt.h PATH_SUFFIXES bullet)
find_library(BulletCollision_LIBRARY BulletCollision-float64)
find_library(BulletCollision_math_LIBRARY LinearMath-float64)
mark_as_advanced(BulletCollision_INCLUDE_DIR BulletCollision_LIBRARY BulletCollision_math_LIBRARY)

find_package_handle_standard_args(BulletCollision REQUIRED_VARS BulletCollision_LIBRARY BulletCollision_math_LIBRARY
                                  BulletCollision_INCLUDE_DIR)
if(BulletCollision_FOUND AND NOT TARGET BulletCollision::BulletCollision)
  add_library(BulletCollision::BulletCollision UNKNOWN IMPORTED)
  set_target_properties(BulletCollision::BulletCollision PROPERTIES
    IMPORTED_LOCATION ${BulletCollision_LIBRARY}
    INTERFACE_SYSTEM_INCLUDE_DIRECTORIES ${BulletCollision_INCLUDE_DIR}
    INTERFACE_INCLUDE_DIRECTORIES ${BulletCollision_INCLUDE_DIR}
    INTERFACE_COMPILE_DEFINITIONS BT_USE_DOUBLE_PRECISION
    INTERFACE_LINK_LIBRARIES ${BulletCollision_math_LIBRARY})
endif()
