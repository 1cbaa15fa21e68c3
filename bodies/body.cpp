#include <locdyn/bodies/body.hpp>
