#include <locdyn/ldy/local_dynamics.hpp>
