using System.Runtime.ExceptionServices;
using Raceway.Rings;

namespace Raceway.Interop.Journal.Writing;

/// <summary>The handler of the journal's stage: a batch becomes groups, each written at once, and one sync.</summary>
/// <remarks>
/// It lets items pass that a replay has published, since they are stored. Which ones, the replay says before it commits them:
/// ring sequences from <c>_replayFirst</c> to <c>_replayEnd</c>. No other item may come before these, or while a replay is under way.
/// </remarks>
internal sealed class JournalStage<T> : IBatchHandler<T>, IWholeBatchHandler
{
    private readonly JournalWriter _writer;
    private readonly IJournalCodec<T> _codec;
    private readonly SequenceWriter<T>? _stamp;
    private readonly Action<Extent> _acknowledge;
    private readonly Durability _durability;
    private readonly GroupBuffer _group;
    private readonly IMemoryCodec<T>? _memory;
    private readonly bool _isRaw;
    private long _replayFirst = -1;
    private long _replayEnd = -1;
    private long _replaySequence;
    private bool _replays;
    private bool _hasStored;

    public JournalStage(JournalWriter writer, IJournalCodec<T> codec, JournalOptions options, SequenceWriter<T>? stamp, Action<Extent> acknowledge)
    {
        _writer = writer;
        _codec = codec;
        _stamp = stamp;
        _acknowledge = acknowledge;
        _durability = options.Durability;
        _group = new GroupBuffer(options.GroupLength, options.MaxItemLength);
        _isRaw = codec is IRawCodec;
        _memory = codec as IMemoryCodec<T>;
    }

    // A sync costs the same for many items as for one.
    public bool TakesAll => _durability.Interval == TimeSpan.Zero;

    public void OnBatch(Batch<T> batch)
    {
        _writer.ThrowIfOver();
        int stored = PassReplayed(batch);
        if (stored == batch.Count) return;
        // ORDER: acquire, pairs with EndReplay: items that were published after it are new.
        if (Volatile.Read(ref _replays)) throw JournalErrors.PublishedBeforeReplay(batch.Sequence + stored);
        _hasStored = true;
        Store(batch, stored);
    }

    /// <summary>A replay begins, with the stored item of that sequence.</summary>
    public void BeginReplay(long sequence)
    {
        if (_writer.Written.Ring > 0) throw JournalErrors.PublishedBeforeReplay(0);
        _replaySequence = sequence;
        Volatile.Write(ref _replays, true);
    }

    /// <summary>The replay is about to commit items at these ring sequences, which follow those before.</summary>
    public void Replayed(long sequence, int count)
    {
        if (_replayFirst < 0) _replayFirst = sequence;
        else if (sequence != _replayEnd) throw JournalErrors.PublishedBeforeReplay(_replayEnd);
        // ORDER: release, pairs with PassReplayed, and goes before the commit: the stage that sees the items sees this.
        Volatile.Write(ref _replayEnd, sequence + count);
    }

    public void EndReplay() => Volatile.Write(ref _replays, false);

    private int PassReplayed(Batch<T> batch)
    {
        // ORDER: acquire, pairs with Replayed.
        long end = Volatile.Read(ref _replayEnd);
        if (batch.Sequence >= end) return 0;
        if (_hasStored || batch.Sequence < _replayFirst) throw JournalErrors.PublishedBeforeReplay(_hasStored ? 0 : batch.Sequence);
        int count = (int)Math.Min(batch.Count, end - batch.Sequence);
        for (int i = 0; _stamp is not null && i < count; i++) _stamp(ref batch[i], _replaySequence + i);
        _replaySequence += count;
        _writer.PassStored(batch.Sequence + count);
        return count;
    }

    private void Store(Batch<T> batch, int from)
    {
        int done = from;
        Exception? fault = null;
        while (done < batch.Count && fault is null)
        {
            long first = _writer.Written.Items;
            _group.Begin(first, _writer.Epoch);
            done = Fill(batch, done, first, out fault);
            if (_group.Count > 0) _writer.Append(_group, batch.Sequence + done);
        }

        if (_durability.Interval == TimeSpan.Zero) _writer.Sync();
        else if (_durability.Interval is null) _acknowledge(_writer.Written);
        if (fault is null) return;
        batch.Complete(done);
        ExceptionDispatchInfo.Throw(fault);
    }

    // Adds items until the group is full; returns the first that is not in it.
    private int Fill(Batch<T> batch, int at, long first, out Exception? fault)
    {
        fault = null;
        try
        {
            for (; at < batch.Count && !_group.IsFull; at++)
            {
                ref T item = ref batch[at];
                _stamp?.Invoke(ref item, first + _group.Count);
                if (_isRaw) _group.AddRaw(in item);
                else if (_memory is not null) _group.Add(_memory.BytesOf(ref item));
                else _group.Add(_codec, in item);
            }
        }
        catch (Exception cause)
        {
            // Of the codec, for this item: those before it are stored.
            fault = cause;
        }

        return at;
    }
}
