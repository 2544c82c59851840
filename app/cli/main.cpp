#include <cstdio>

int main()
{
    std::fputs("usage: inglenook-cli COMMAND [ARGS...]\n", stderr);
    return 2;
}
