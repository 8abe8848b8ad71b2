using System.Numerics;
using System.Runtime.InteropServices;

namespace Raceway.Suites.Batching.Hash;

/// <summary>CRC-32C of each message: some ten nanoseconds, so that handing a message over costs more than its work.</summary>
internal sealed class ChecksumWork : FoldedWork
{
    private static readonly ulong[] s_expected = [.. Enumerable.Range(0, Corpus.Count).Select(static i => BitByBit(Corpus.Lines[i]))];

    public override void Do(ReadOnlySpan<Job> jobs)
    {
        foreach (ref readonly Job job in jobs) Take(Of(Corpus.Lines[job.Index]));
    }

    protected override ulong[] Expected => s_expected;

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
