using System.Numerics;
using System.Runtime.InteropServices;

namespace Raceway.Suites.Batching.Hash;

/// <summary>CRC-32C of each message: some ten nanoseconds, so that handing a message over costs more than its work.</summary>
internal sealed class ChecksumWork : IBatchWork
{
    private Fold _fold;

    public void Begin() => _fold = default;

    public void Do(ReadOnlySpan<Job> jobs)
    {
        foreach (ref readonly Job job in jobs) _fold.Take(Of(Corpus.Lines[job.Index]));
    }

    public void Complete()
    {
    }

    public bool Verify(long jobs)
    {
        Fold expected = default;
        for (long i = 0; i < jobs; i++) expected.Take(Expected[i % Corpus.Count]);
        return _fold.IsSameAs(expected);
    }

    public void Dispose()
    {
    }

    private static uint[] Expected { get; } = [.. Enumerable.Range(0, Corpus.Count).Select(static i => BitByBit(Corpus.Lines[i]))];

    private static uint Of(ReadOnlySpan<byte> message)
    {
        uint crc = uint.MaxValue;
        foreach (ulong word in MemoryMarshal.Cast<byte, ulong>(message)) crc = BitOperations.Crc32C(crc, word);
        foreach (byte one in message[(message.Length & ~7)..]) crc = BitOperations.Crc32C(crc, one);
        return ~crc;
    }

    // As the standard defines it, by another way than the processor's instruction.
    private static uint BitByBit(ReadOnlySpan<byte> message)
    {
        uint crc = uint.MaxValue;
        foreach (byte one in message)
        {
            crc ^= one;
            for (int bit = 0; bit < 8; bit++) crc = (crc >> 1) ^ ((crc & 1) * 0x82F63B78u);
        }

        return ~crc;
    }
}
