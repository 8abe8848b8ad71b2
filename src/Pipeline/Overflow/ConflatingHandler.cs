using System.Numerics;
using System.Runtime.ExceptionServices;
using Raceway.Rings;

namespace Raceway.Pipelines;

/// <summary>Passes over all but the latest of each key, see
/// <see cref="Overflow.ConflateByKey{T, TKey}(KeySelector{T, TKey}, IBatchHandler{T}, SlotAction{T}?)"/>.</summary>
/// <remarks>Keys are met from the newest item to the oldest: the first of each is its latest. Then items are walked forwards.</remarks>
internal sealed class ConflatingHandler<T, TKey>(KeySelector<T, TKey> key, IBatchHandler<T> handler, SlotAction<T>? dropped)
    : IBatchHandler<T>, IWrapper, IKeepsState
    where TKey : notnull, IEquatable<TKey>
{
    private readonly KeyGroups<TKey> _latest = new();
    private ulong[] _survivors = [];

    object IWrapper.Inner
    {
        get => handler;
        set { }
    }

    public void OnBatch(Batch<T> batch)
    {
        int end = batch.Count;
        ExceptionDispatchInfo? fault = null;
        // The first item without a key is the one that is at fault, and what is behind it does not count for those before.
        while (FindSurvivors(batch, end, ref fault) is >= 0 and int failed) end = failed;
        HandOver(batch, end);
        if (fault is null) return;
        batch.FailAt(end);
        fault.Throw();
    }

    // Of the items before end. Returns the first item without a key that can be had, or -1.
    private int FindSurvivors(Batch<T> batch, int end, ref ExceptionDispatchInfo? fault)
    {
        int words = (end + 63) / 64;
        if (_survivors.Length < words) _survivors = new ulong[BitOperations.RoundUpToPowerOf2((uint)words)];
        Array.Clear(_survivors, 0, words);
        _latest.Clear();
        int at = end - 1;
        try
        {
            for (; at >= 0; at--)
            {
                TKey own = key(in batch[at]);
                if (_latest.Count == KeyGroups<TKey>.Most) _latest.Clear();
                if (_latest.TryAdd(own, at)) _survivors[at / 64] |= 1UL << at;
            }
        }
        catch (Exception thrown)
        {
            fault = ExceptionDispatchInfo.Capture(thrown);
        }

        _latest.Clear();
        return at;
    }

    private void HandOver(Batch<T> batch, int end)
    {
        for (int at = 0; at < end;)
        {
            if (batch.IsHalted) throw new OperationCanceledException();
            int start = Next(at, end, survives: true);
            if (start > at) Overflow.Drop(batch, at, start, dropped);
            if (start == end) return;
            at = Next(start, end, survives: false);
            try
            {
                handler.OnBatch(batch.Slice(start, at - start));
            }
            catch
            {
                batch.FailAt(start, at - start);
                throw;
            }

            batch.Complete(at);
        }
    }

    /// <summary>The first item from <paramref name="at"/> on that survives, or does not; <paramref name="end"/> where there is none.</summary>
    private int Next(int at, int end, bool survives)
    {
        ulong flip = survives ? 0 : ulong.MaxValue;
        ulong bits = (_survivors[at / 64] ^ flip) & (ulong.MaxValue << at);
        for (int word = at / 64; ; bits = _survivors[word] ^ flip)
        {
            if (bits != 0) return Math.Min(end, word * 64 + BitOperations.TrailingZeroCount(bits));
            if (++word * 64 >= end) return end;
        }
    }
}
