using System.Numerics;
using Raceway.Rings;

namespace Raceway.Pipelines;

/// <summary>A handler of same-key batches in a lane: groups what is selected of a batch by key.</summary>
/// <remarks>
/// Keys come in the order of their first items, so when one fails, all before its first item is done, and the stage's
/// progress may stand there; items of other keys behind it may be done as well. Those are remembered, a bit a slot, and
/// passed over when the stage comes again.
/// </remarks>
internal sealed class GroupedByKey<T, TKey> : IBatchHandler<T>, IWrapper
    where TKey : notnull, IEquatable<TKey>
{
    private const int HaltInterval = 64;

    // So few that the table stays in the nearest cache.
    private const int RoundItems = 256;

    private readonly SelectionSet _selection;
    private readonly Slots<T> _slots;
    private readonly KeySelector<T, TKey> _key;
    private readonly IKeyHandler<T, TKey> _handler;
    private readonly KeyGroups<TKey> _groups = new(RoundItems);
    private readonly Selection _done;
    private long _doneThrough = -1;

    public GroupedByKey(SelectionSet selection, Slots<T> slots, KeySelector<T, TKey> key, IKeyHandler<T, TKey> handler)
    {
        _slots = slots;
        _selection = selection;
        _key = key;
        _handler = handler;
        _done = new Selection(slots.Ring.Capacity);
    }

    object IWrapper.Inner
    {
        get => _handler;
        set { }
    }

    public void OnBatch(Batch<T> batch)
    {
        var words = new SelectedWords(_selection, _done.Capacity, batch.Sequence, batch.Count);
        bool resumes = batch.Sequence <= _doneThrough;
        bool asks = false;
        int index = 0;
        _groups.Clear();
        try
        {
            while (words.MoveNext())
            {
                ulong bits = words.Bits;
                if (resumes) bits &= ~_done.Read(words.Word);
                if (_groups.Items + BitOperations.PopCount(bits) > _groups.Room) HandOver(batch);
                asks = true;
                for (; bits != 0; bits &= bits - 1)
                {
                    index = words.Base + BitOperations.TrailingZeroCount(bits);
                    _groups.Add(_key(in batch[index]), index);
                }

                asks = false;
            }
        }
        catch when (asks)
        {
            // The selector's fault is of this item; those before it come first.
            HandOver(batch);
            Forget(batch, index);
            batch.FailAt(index);
            throw;
        }

        HandOver(batch);
        if (resumes) Forget(batch, batch.Count);
    }

    // A call a key.
    private void HandOver(Batch<T> batch)
    {
        int group = 0;
        try
        {
            for (; group < _groups.Count; group++)
            {
                if ((group & (HaltInterval - 1)) == 0 && batch.IsHalted) throw new OperationCanceledException();
                ref readonly KeyGroups<TKey>.Group own = ref _groups[group];
                _handler.OnKey(own.Key, new KeyedItems<T>(_slots, batch.Sequence, _groups.Chains, own.First, own.Count));
            }
        }
        catch
        {
            ref readonly KeyGroups<TKey>.Group failed = ref _groups[group];
            int first = _groups.Chains[failed.First].Index;
            Forget(batch, first);
            for (int done = 0; done < group; done++) Remember(batch, _groups[done].First, behind: first);
            batch.FailAt(first, _groups.Chains[failed.Last].Index - first + 1);
            throw;
        }

        _groups.Clear();
    }

    private void Remember(Batch<T> batch, int item, int behind)
    {
        for (; item >= 0; item = _groups.Chains[item].Next)
        {
            int index = _groups.Chains[item].Index;
            if (index < behind) continue;
            long sequence = batch.Sequence + index;
            var word = new SelectedWords(SelectionSet.All, _done.Capacity, sequence, 1);
            word.MoveNext();
            _done.Write(word.Word, word.Range, word.Range);
            _doneThrough = Math.Max(_doneThrough, sequence);
        }
    }

    // What progress has passed is remembered no more: its slots come again.
    private void Forget(Batch<T> batch, int count)
    {
        if (batch.Sequence > _doneThrough) return;
        var words = new SelectedWords(SelectionSet.All, _done.Capacity, batch.Sequence, count);
        while (words.MoveNext()) _done.Write(words.Word, words.Range, 0);
    }
}
