#include <locdyn/bodies/body_set.hpp>
