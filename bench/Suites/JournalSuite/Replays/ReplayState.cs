using System.Buffers.Binary;
using System.Collections.Concurrent;
using Raceway.Rings;

namespace Raceway.Suites.JournalSuite.Replays;

/// <summary>The state that a replay builds up: a number of all items in their order.</summary>
internal sealed class ReplayState : IBatchHandler<Bytes128>
{
    private const ulong Prime = 1_099_511_628_211;
    private static readonly ConcurrentDictionary<(long First, long Count), ulong> s_expected = new();

    private long _count;
    private ulong _value;

    /// <summary>Begins anew.</summary>
    public void Reset() => (_count, _value) = (0, 0);

    /// <summary>Takes an item.</summary>
    public void Take(ReadOnlySpan<byte> item)
    {
        _count++;
        Fold(BinaryPrimitives.ReadUInt64LittleEndian(item));
        Fold(BinaryPrimitives.ReadUInt64LittleEndian(item[16..]));
        Fold(BinaryPrimitives.ReadUInt64LittleEndian(item[^8..]));
    }

    /// <inheritdoc/>
    public void OnBatch(Batch<Bytes128> batch)
    {
        foreach (ref Bytes128 item in batch) Take(StructForm<Bytes128>.Of(ref item));
    }

    /// <summary>Whether it is what a plain loop over those items gives.</summary>
    public bool IsOf(long first, long count) => _count == count && _value == s_expected.GetOrAdd((first, count), static range =>
    {
        var state = new ReplayState();
        Span<byte> item = stackalloc byte[StructForm<Bytes128>.Length];
        for (long index = range.First; index < range.First + range.Count; index++)
        {
            Logged.Fill(item, index, ReplayContestant.Round.Number);
            state.Take(item);
        }

        return state._value;
    });

    private void Fold(ulong word) => _value = (_value ^ word) * Prime;
}
