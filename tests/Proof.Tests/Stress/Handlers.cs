namespace Raceway.Proof.Tests.Stress;

/// <summary>The stage's side of a run, in every form that a handler has.</summary>
internal sealed class CheckingHandler<T, TSlot>(Checker checker, StressCase run, int seed)
    : IBatchHandler<T>, IEventHandler<T>, IAsyncBatchHandler<T>
    where TSlot : struct, ISlot<T>
{
    private const int StallEvery = 64;
    private const int LookEvery = 64;
    private const int YieldEvery = 16;
    private const int MostKept = 8;

    private readonly Random _random = new(seed);
    private readonly Queue<(RetainedPayload Payload, long Key)> _kept = [];
    private int _calls;

    public Checker Checker => checker;

    /// <summary>The stage itself, once it is attached.</summary>
    public Stage? Attached { get; set; }

    public void OnBatch(Batch<T> batch)
    {
        BeginCall(batch.Sequence);
        int done = 0;
        foreach (ref T slot in batch)
        {
            try
            {
                Take(ref slot, batch.Sequence + done, comesAgain: done < batch.Count - 1);
            }
            catch (SkippedException)
            {
                // The first one not marked is the one that failed.
                batch.Complete(done);
                throw;
            }

            done++;
        }
    }

    public void OnEvent(ref T item, long sequence, bool endOfBatch)
    {
        BeginCall(sequence);
        Take(ref item, sequence, comesAgain: false);
    }

    public void OnSlot(ref T slot)
    {
        BeginCall(long.MinValue);
        CheckBody(ref slot);
        checker.Take(ref TSlot.Of(ref slot));
    }

    public ValueTask OnBatchAsync(AsyncBatch<T> batch, CancellationToken cancellation)
    {
        BeginCall(batch.Sequence);
        if (_calls % YieldEvery == 0) return OnPartsAsync(batch);
        TakeAll(batch, 0, batch.Count);
        return default;
    }

    /// <summary>Gives back what is still kept, after the stage has ended.</summary>
    public void LetGo()
    {
        while (_kept.Count > 0) LetOneGo();
    }

    private async ValueTask OnPartsAsync(AsyncBatch<T> batch)
    {
        int half = batch.Count / 2;
        TakeAll(batch, 0, half);
        await Task.Yield();
        TakeAll(batch, half, batch.Count);
    }

    private void TakeAll(AsyncBatch<T> batch, int from, int to)
    {
        for (int i = from; i < to; i++)
        {
            try
            {
                Take(ref batch[i], batch.Sequence + i, comesAgain: i < batch.Count - 1);
            }
            catch (SkippedException)
            {
                batch.Complete(i);
                throw;
            }
        }
    }

    private void Take(ref T slot, long sequence, bool comesAgain)
    {
        CheckBody(ref slot);
        checker.Take(ref TSlot.Of(ref slot), sequence, comesAgain);
    }

    private void BeginCall(long sequence)
    {
        _calls++;
        if (run.Extra == Extra.Stalls && _calls % StallEvery == 0) Stalls.Take(_random);
        if (_calls % LookEvery != 0 || Attached is not { } stage) return;
        if (sequence != long.MinValue && stage.Position >= sequence)
            throw new WrongException($"{stage.Name} is at {stage.Position} while it handles {sequence}; {run.Name}");
        if (stage.Lag < 0 || stage.Lag > run.Capacity) throw new WrongException($"lag {stage.Lag}; {run.Name}");
    }

    private void CheckBody(ref T slot)
    {
        if (!TSlot.HasBody) return;
        ref Item item = ref TSlot.Of(ref slot);
        ref Payload body = ref TSlot.Body(ref slot);
        if (!Bodies.IsRight(body.Span, item.Key)) throw Wrong(item, "has other bytes");
        if (!Bodies.IsRetained(item.Key)) return;
        _kept.Enqueue((body.Retain(), item.Key));
        if (_kept.Count > MostKept) LetOneGo();
    }

    private void LetOneGo()
    {
        (RetainedPayload payload, long key) = _kept.Dequeue();
        bool right = Bodies.IsRight(payload.Memory.Span, key);
        payload.Dispose();
        if (!right) throw new WrongException($"The kept payload of {key:x} has other bytes; {run.Name}");
    }

    private Exception Wrong(in Item item, string what) => Checker.Wrong(what, item, long.MinValue, checker.Stage, run);
}

/// <summary>The same as a struct, which the stage calls directly.</summary>
internal readonly struct StructHandler<T, TSlot>(CheckingHandler<T, TSlot> inner) : IBatchHandler<T>, IEventHandler<T>
    where TSlot : struct, ISlot<T>
{
    public void OnBatch(Batch<T> batch) => inner.OnBatch(batch);

    public void OnEvent(ref T item, long sequence, bool endOfBatch) => inner.OnEvent(ref item, sequence, endOfBatch);
}

/// <summary>Pauses of up to 50 µs.</summary>
internal static class Stalls
{
    private static readonly int s_most = Cpu.PausesIn(50_000);

    public static void Take(Random random) => Cpu.Pause(random.Next(s_most));
}
