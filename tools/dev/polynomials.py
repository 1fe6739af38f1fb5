#!/usr/bin/env python3
"""Prints the coefficients of lib/CodeGen/ExpandMath.cpp.

Each polynomial interpolates its function at the Chebyshev nodes of the interval (close to the best polynomial
of its degree), computed with 60 digits and rounded at the end.
"""
from decimal import Decimal as D, getcontext
from math import factorial

getcontext().prec = 60


def series(first, step, sign=1):
    """sum of sign^k x^k / (first + k step)!, until the terms vanish"""
    return lambda x: sum(D(sign) ** k * x**k / D(factorial(first + k * step)) for k in range(40))


def atanh_tail(z):
    """(2 atanh(s) - 2 s) / s^3 for z = s^2"""
    return sum(2 * z**k / D(2 * k + 3) for k in range(60))


def cosine(x):
    return sum((-1) ** k * x ** (2 * k) / D(factorial(2 * k)) for k in range(60))


PI = D("3.14159265358979323846264338327950288419716939937510582097494459")
LN2 = D(2).ln()


def interpolate(function, low, high, degree):
    count = degree + 1
    nodes = [(low + high) / 2 + (high - low) / 2 * cosine(PI * (2 * i + 1) / (2 * count)) for i in range(count)]
    rows = [[x**k for k in range(count)] + [function(x)] for x in nodes]
    for i in range(count):
        pivot = max(range(i, count), key=lambda r: abs(rows[r][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for r in range(count):
            if r != i:
                factor = rows[r][i] / rows[i][i]
                rows[r] = [a - factor * b for a, b in zip(rows[r], rows[i])]
    return [rows[i][count] / rows[i][i] for i in range(count)]


def show(name, coefficients):
    print(f"{name}: " + ", ".join(repr(float(c)) for c in coefficients))


def split(name, value, parts):
    """value as a sum of doubles"""
    out = []
    for _ in range(parts):
        out.append(float(value))
        value -= D(out[-1])
    print(f"{name}: " + ", ".join(p.hex() for p in out))


def main():
    half = LN2 / 2 * D("1.001")
    show("exp f32 (e^r - 1 - r) / r^2", interpolate(series(2, 1), -half, half, 4))
    show("exp f64 (e^r - 1 - r) / r^2", interpolate(series(2, 1), -half, half, 9))
    s = (D(2).sqrt() - 1) / (D(2).sqrt() + 1)
    show("log f64", interpolate(atanh_tail, D(0), s * s * D("1.001"), 6))
    quarter = (PI / 4) ** 2 * D("1.001")
    show("sin f64 (sin r - r) / r^3", [-c for c in interpolate(series(3, 2, -1), D(0), quarter, 5)])
    show("cos f64 (cos r - 1 + r^2 / 2) / r^4", interpolate(series(4, 2, -1), D(0), quarter, 5))
    split("pi/2", PI / 2, 3)
    split("ln2", LN2, 2)
    # The high part of ln 2 in few bits, so that n times it is exact for every exponent n.
    for name, bits in (("f32", 2**16), ("f64", 2**41)):
        high = D(int(LN2 * bits)) / bits
        print(f"ln2 {name}: {float(high).hex()}, {float(LN2 - high).hex()}")


main()
