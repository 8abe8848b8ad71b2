namespace Raceway.Proof.Tests.Misuse;

/// <summary>The handler of every stage: books what comes, and makes calls itself from time to time.</summary>
/// <param name="ledger">Where to.</param>
/// <param name="column">Which stage it is.</param>
/// <param name="seed">Of its choices.</param>
/// <param name="within">Called now and then from inside a call of the handler.</param>
internal sealed class Keeper<T, TShape>(Ledger ledger, int column, uint seed, Action<Dice>? within)
    : IBatchHandler<T>, IEventHandler<T>, IAsyncBatchHandler<T>, IIdleHandler
    where TShape : struct, IShape<T>
{
    private Dice _dice = new(seed);
    private long _inside;

    /// <summary>A batch that was kept beyond its task, for any thread to use.</summary>
    public object? Kept;

    public void OnIdle() => _dice.Next(2);

    public void OnEvent(ref T item, long sequence, bool endOfBatch)
    {
        Enter();
        Came(ref item);
        Within();
        Leave();
    }

    public void Take(ref T item)
    {
        Enter();
        Came(ref item);
        Within();
        Leave();
    }

    public void OnBatch(Batch<T> batch)
    {
        Enter();
        if (batch.Count < 1 || batch.Sequence < 0 || batch.Depth < batch.Count || batch.Age < TimeSpan.Zero)
            ledger.Fault($"a batch of {batch.Count} at {batch.Sequence}, depth {batch.Depth}, age {batch.Age}");
        if (!Enum.IsDefined(batch.CloseReason)) ledger.Fault("a close reason that there is not");
        foreach (ref T item in batch) Came(ref item);
        if (_dice.OneIn(4)) batch.Complete(_dice.Next(1, batch.Count));
        if (_dice.OneIn(8) && batch.Slice(batch.Count - 1, 1).Count != 1) ledger.Fault("a slice of one");
        if (_dice.OneIn(16) && batch.ToArray().Length != batch.Count) ledger.Fault("a copy of a batch");
        if (_dice.OneIn(16)) Refuses(batch);
        if (_dice.OneIn(8)) Spans(batch);
        Within();
        Leave();
    }

    public async ValueTask OnBatchAsync(AsyncBatch<T> batch, CancellationToken cancellation)
    {
        Enter();
        foreach (ref T item in batch) Came(ref item);
        if (_dice.OneIn(16) && batch.ToArray().Length != batch.Count) ledger.Fault("a copy of a batch");
        if (_dice.OneIn(4)) batch.Complete(_dice.Next(1, batch.Count));
        if (_dice.OneIn(8)) Kept = batch;
        if (_dice.OneIn(3)) await Task.Yield();
        Within();
        Leave();
    }

    /// <summary>Uses the batch that it has kept: its items are another's by now.</summary>
    public void UseKept(Dice dice)
    {
        if (Kept is not AsyncBatch<T> batch) return;
        switch (dice.Next(5))
        {
            case 0: _ = TShape.Read(ref batch[dice.Next(batch.Count)]); break;
            case 1: batch.Complete(dice.Next(batch.Count)); break;
            case 2: _ = batch.Slice(0, batch.Count)[0]; break;
            case 3: _ = batch.Depth + batch.Sequence + batch.Count; break;
            default: _ = (batch.Age, batch.CloseReason); break;
        }
    }

    private void Spans(Batch<T> batch)
    {
        try
        {
            if (batch.First.Length + batch.Second.Length != batch.Count) ledger.Fault("the spans of a batch");
        }
        catch (InvalidOperationException)
        {
            // Slots that lie apart have no spans.
        }
    }

    private void Refuses(Batch<T> batch)
    {
        try
        {
            switch (_dice.Next(3))
            {
                case 0: batch.Complete(batch.Count + 1); break;
                case 1: batch.Slice(0, batch.Count + 1); break;
                default: _ = batch[batch.Count]; break;
            }

            ledger.Fault("a batch has taken what is out of its range");
        }
        catch (ArgumentOutOfRangeException)
        {
        }
    }

    private void Came(ref T item)
    {
        ledger.Came(column, TShape.Read(ref item));
        if (_dice.OneIn(16) && !TShape.Use(ref item) && !ledger.MayMix) ledger.Fault($"stage {column} used an item, and found it wrong");
    }

    private void Within()
    {
        if (within is null || !_dice.OneIn(24)) return;
        within(new Dice((uint)_dice.Next(int.MaxValue)));
    }

    // A stage has one driver: two calls at a time are two drivers.
    private void Enter()
    {
        if (Interlocked.Exchange(ref _inside, 1) != 0) ledger.Fault($"the handler of stage {column} was called twice at a time");
    }

    private void Leave() => Volatile.Write(ref _inside, 0);
}
