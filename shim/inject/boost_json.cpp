// Boost.JSON inside the injected library, which links nothing that programs may have in another version.
#include <boost/json/src.hpp>
