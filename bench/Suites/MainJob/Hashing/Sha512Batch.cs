using System.Diagnostics;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.X86;
using System.Security.Cryptography;

namespace Raceway.Suites.MainJob.Hashing;

/// <summary>SHA-512 of messages, by what is fastest here: alone, or side by side in the lanes of vectors.</summary>
public static class Sha512Batch
{
    private const int SampleBytes = 100;

    private static readonly TimeSpan s_sampling = TimeSpan.FromMilliseconds(2);

    /// <summary>How many messages lie side by side: 8 with AVX-512, 4 with AVX2, 2 with vectors of 128 bits, else 1.</summary>
    public static int Lanes { get; } =
        Avx512BW.IsSupported ? 8 : Avx2.IsSupported ? 4 : Vector128.IsHardwareAccelerated ? 2 : 1;

    /// <summary>
    /// Whether the runtime's own <see cref="SHA512.HashData(ReadOnlySpan{byte}, Span{byte})"/> hashes a message of 100 bytes faster than
    /// the plain code here: measured once, for some milliseconds.
    /// </summary>
    public static bool HashDataIsFaster { get; } = TimeOf(HashData) < TimeOf(HashInOneLane);

    /// <summary>Hashes one message.</summary>
    /// <param name="message">Its bytes.</param>
    /// <param name="digest">Room for 64 bytes.</param>
    public static void Hash(ReadOnlySpan<byte> message, Span<byte> digest)
    {
        if (HashDataIsFaster) HashData(message, digest);
        else HashInOneLane(message, digest);
    }

    /// <summary>Hashes many messages.</summary>
    internal static void Hash<TMessages>(TMessages messages)
        where TMessages : IMessages, allows ref struct
    {
        // Fewer messages than lanes: vectors of half the width are full.
        int lanes = Lanes;
        while (lanes > messages.Count) lanes /= 2;
        if (lanes > 1) HashIn(lanes, messages);
        else for (int i = 0; i < messages.Count; i++) Hash(messages.BytesOf(i), messages.DigestOf(i));
    }

    /// <summary>The same in <paramref name="lanes"/> lanes; the processor must have vectors that wide.</summary>
    internal static void HashIn<TMessages>(int lanes, TMessages messages)
        where TMessages : IMessages, allows ref struct
    {
        switch (lanes)
        {
            case 8:
                Sha512Lanes<Vector512<ulong>, Words512>.Hash(messages);
                break;
            case 4:
                Sha512Lanes<Vector256<ulong>, Words256>.Hash(messages);
                break;
            case 2:
                Sha512Lanes<Vector128<ulong>, Words128>.Hash(messages);
                break;
            default:
                Sha512Lanes<ulong, OneWord>.Hash(messages);
                break;
        }
    }

    private static void HashData(ReadOnlySpan<byte> message, Span<byte> digest) => SHA512.HashData(message, digest);

    private static void HashInOneLane(ReadOnlySpan<byte> message, Span<byte> digest) =>
        Sha512Lanes<ulong, OneWord>.Hash(new OneMessage(message, digest));

    private static TimeSpan TimeOf(Hashing hash)
    {
        Span<byte> message = stackalloc byte[SampleBytes], digest = stackalloc byte[SHA512.HashSizeInBytes];
        message.Clear();
        TimeSpan least = TimeSpan.MaxValue;
        long began = Stopwatch.GetTimestamp();
        while (Stopwatch.GetElapsedTime(began) < s_sampling)
        {
            long from = Stopwatch.GetTimestamp();
            hash(message, digest);
            TimeSpan took = Stopwatch.GetElapsedTime(from);
            if (took < least) least = took;
        }

        return least;
    }

    private delegate void Hashing(ReadOnlySpan<byte> message, Span<byte> digest);

    private readonly ref struct OneMessage(ReadOnlySpan<byte> message, Span<byte> digest) : IMessages
    {
        private readonly ReadOnlySpan<byte> _message = message;
        private readonly Span<byte> _digest = digest;

        public int Count => 1;

        public ReadOnlySpan<byte> BytesOf(int index) => _message;

        public Span<byte> DigestOf(int index) => _digest;
    }
}
