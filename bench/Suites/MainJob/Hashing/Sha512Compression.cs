using System.Numerics;
using System.Runtime.CompilerServices;

namespace Raceway.Suites.MainJob.Hashing;

/// <summary>SHA-512's compression of a block, for one message or several side by side.</summary>
/// <remarks>FIPS 180-4, section 6.4. The constants are computed as the standard defines them.</remarks>
internal static class Sha512Compression
{
    /// <summary>Words of a block.</summary>
    public const int BlockWords = 16;

    /// <summary>Words of the state, and of a digest.</summary>
    public const int StateWords = 8;

    private const int Rounds = 80;

    // The first 64 bits behind the point of the square and of the cube roots of the first primes.
    private static readonly ulong[] s_initial = FractionsOfRoots(StateWords, 2);
    private static readonly ulong[] s_round = FractionsOfRoots(Rounds, 3);

    /// <summary>The state before the first block.</summary>
    public static ReadOnlySpan<ulong> Initial => s_initial;

    /// <summary>Takes a block into the state, in each lane one of its own.</summary>
    /// <typeparam name="T">The words of all lanes.</typeparam>
    /// <typeparam name="TWords">What is done with them.</typeparam>
    /// <param name="state">Eight words of each lane.</param>
    /// <param name="block">Sixteen words of each lane; overwritten.</param>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public static void Compress<T, TWords>(Span<T> state, Span<T> block)
        where T : struct
        where TWords : struct, IWords<T>
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(state.Length, StateWords);
        ArgumentOutOfRangeException.ThrowIfLessThan(block.Length, BlockWords);
        T a = state[0], b = state[1], c = state[2], d = state[3], e = state[4], f = state[5], g = state[6], h = state[7];
        ReadOnlySpan<ulong> constants = s_round;
        for (int round = 0; round < Rounds; round += BlockWords)
        {
            for (int i = 0; i < BlockWords; i += StateWords)
            {
                Round<T, TWords>(a, b, c, ref d, e, f, g, ref h, constants[round + i], block[i]);
                Round<T, TWords>(h, a, b, ref c, d, e, f, ref g, constants[round + i + 1], block[i + 1]);
                Round<T, TWords>(g, h, a, ref b, c, d, e, ref f, constants[round + i + 2], block[i + 2]);
                Round<T, TWords>(f, g, h, ref a, b, c, d, ref e, constants[round + i + 3], block[i + 3]);
                Round<T, TWords>(e, f, g, ref h, a, b, c, ref d, constants[round + i + 4], block[i + 4]);
                Round<T, TWords>(d, e, f, ref g, h, a, b, ref c, constants[round + i + 5], block[i + 5]);
                Round<T, TWords>(c, d, e, ref f, g, h, a, ref b, constants[round + i + 6], block[i + 6]);
                Round<T, TWords>(b, c, d, ref e, f, g, h, ref a, constants[round + i + 7], block[i + 7]);
            }

            if (round + BlockWords < Rounds) Expand<T, TWords>(block);
        }

        state[0] = TWords.Add(state[0], a);
        state[1] = TWords.Add(state[1], b);
        state[2] = TWords.Add(state[2], c);
        state[3] = TWords.Add(state[3], d);
        state[4] = TWords.Add(state[4], e);
        state[5] = TWords.Add(state[5], f);
        state[6] = TWords.Add(state[6], g);
        state[7] = TWords.Add(state[7], h);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void Round<T, TWords>(T a, T b, T c, ref T d, T e, T f, T g, ref T h, ulong constant, T word)
        where T : struct
        where TWords : struct, IWords<T>
    {
        T sum = TWords.Xor(TWords.Rotate(e, 14), TWords.Rotate(e, 18), TWords.Rotate(e, 41));
        T mixed = TWords.Add(TWords.Add(TWords.Add(h, TWords.All(constant)), word), TWords.Add(sum, TWords.Choose(e, f, g)));
        d = TWords.Add(d, mixed);
        T other = TWords.Xor(TWords.Rotate(a, 28), TWords.Rotate(a, 34), TWords.Rotate(a, 39));
        h = TWords.Add(mixed, TWords.Add(other, TWords.Majority(a, b, c)));
    }

    // The next sixteen words of the schedule, in place of the last ones.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void Expand<T, TWords>(Span<T> block)
        where T : struct
        where TWords : struct, IWords<T>
    {
        for (int i = 0; i < BlockWords; i++)
        {
            T next = block[(i + 1) & 15], last = block[(i + 14) & 15];
            T small = TWords.Xor(TWords.Rotate(next, 1), TWords.Rotate(next, 8), TWords.Shift(next, 7));
            T large = TWords.Xor(TWords.Rotate(last, 19), TWords.Rotate(last, 61), TWords.Shift(last, 6));
            block[i] = TWords.Add(TWords.Add(block[i], small), TWords.Add(block[(i + 9) & 15], large));
        }
    }

    private static ulong[] FractionsOfRoots(int count, int root)
    {
        var fractions = new List<ulong>(count);
        for (int candidate = 2; fractions.Count < count; candidate++)
        {
            if (!IsPrime(candidate)) continue;
            // The root of the prime, times 2^64.
            BigInteger scaled = (BigInteger)candidate << (64 * root), low = 0, high = BigInteger.One << 80;
            while (high - low > 1)
            {
                BigInteger middle = (low + high) >> 1;
                if (BigInteger.Pow(middle, root) <= scaled) low = middle;
                else high = middle;
            }

            fractions.Add((ulong)(low & ulong.MaxValue));
        }

        return [.. fractions];
    }

    private static bool IsPrime(int candidate)
    {
        for (int divisor = 2; divisor * divisor <= candidate; divisor++)
            if (candidate % divisor == 0) return false;
        return true;
    }
}
