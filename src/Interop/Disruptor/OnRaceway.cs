using Disruptor;
using Raceway.Rings;

namespace Raceway.Interop.DisruptorNet;

/// <summary>Disruptor-net's handlers as handlers of Raceway.</summary>
/// <remarks>
/// <para>Hooks go along: their start and shutdown are called at ours, their timeout where nothing has come for the stage's idle
/// timeout. Their greatest batch size is kept. Handlers that report their own sequence are refused: a stage knows how far it
/// is by what it hands over (<see cref="Batch{T}.Complete"/>).</para>
/// <para><b>Errors</b>: an exception goes to the stage's <see cref="FaultPolicy"/>. Where an event handler throws, what it has
/// handled before is done, and is not handled again.</para>
/// <para><b>Cost</b>: handlers of batches are given a copy of the references, in an array that is kept. Nothing is allocated once
/// that is as long as the longest batch.</para>
/// </remarks>
public static class OnRaceway
{
    /// <summary>A handler of batches of objects.</summary>
    /// <exception cref="ArgumentException">It reports its own sequence, or its greatest batch is below 1.</exception>
    public static IBatchHandler<T> ToRaceway<T>(this IBatchEventHandler<T> handler)
        where T : class => new BatchesOnRaceway<T>(handler);

    /// <summary>A handler of batches of objects that awaits.</summary>
    /// <inheritdoc cref="ToRaceway{T}(IBatchEventHandler{T})"/>
    public static IAsyncBatchHandler<T> ToRaceway<T>(this IAsyncBatchEventHandler<T> handler)
        where T : class => new AsyncBatchesOnRaceway<T>(handler);

    /// <summary>A handler of single objects.</summary>
    /// <inheritdoc cref="ToRaceway{T}(IBatchEventHandler{T})"/>
    public static IBatchHandler<T> ToRaceway<T>(this global::Disruptor.IEventHandler<T> handler)
        where T : class => new EventsOnRaceway<T>(handler);

    /// <summary>A handler of single values.</summary>
    /// <inheritdoc cref="ToRaceway{T}(IBatchEventHandler{T})"/>
    public static IBatchHandler<T> ToRaceway<T>(this IValueEventHandler<T> handler)
        where T : struct => new ValuesOnRaceway<T>(handler);
}

/// <summary>What a handler of theirs has in common on our engine: its hooks, and the greatest size of its batches.</summary>
internal abstract class HooksOnRaceway : IStageLifetime, IIdleHandler
{
    private readonly IEventHandler _handler;

    protected HooksOnRaceway(IEventHandler handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        if (handler is IEventProcessorSequenceAware)
        {
            throw new ArgumentException(
                $"A handler on a stage must not report its own sequence: handler={handler.GetType().Name}. Write it as an "
                + "IBatchHandler that calls batch.Complete.",
                nameof(handler));
        }

        _handler = handler;
        Most = handler.MaxBatchSize ?? int.MaxValue;
        if (Most < 1)
        {
            throw new ArgumentException(
                $"A handler's greatest batch must be 1 or more: handler={handler.GetType().Name}, MaxBatchSize={Most}. Return null "
                + "for batches of any size.",
                nameof(handler));
        }
    }

    protected int Most { get; }

    /// <summary>The last sequence that the handler was given.</summary>
    protected long Last { get; set; } = -1;

    public void OnStart() => _handler.OnStart();

    public void OnStop() => _handler.OnShutdown();

    public void OnIdle() => _handler.OnTimeout(Last);
}

/// <summary>References of a batch, where theirs want them: in an array.</summary>
internal struct Copied<T>()
    where T : class
{
    private T[] _items = [];

    public T[] Begin(int count)
    {
        if (_items.Length < count) _items = new T[Math.Max(count, _items.Length * 2)];
        return _items;
    }

    /// <summary>Keeps nothing alive that the ring has let go.</summary>
    public readonly void End(int count) => Array.Clear(_items, 0, count);
}

/// <summary>A batch handler of theirs on our ring.</summary>
internal sealed class BatchesOnRaceway<T>(IBatchEventHandler<T> handler) : HooksOnRaceway(handler), IBatchHandler<T>
    where T : class
{
    private Copied<T> _copied = new();

    public void OnBatch(Batch<T> batch)
    {
        for (int start = 0, count; start < batch.Count; start += count)
        {
            count = Math.Min(Most, batch.Count - start);
            T[] items = _copied.Begin(count);
            for (int i = 0; i < count; i++) items[i] = batch[start + i];
            try
            {
                handler.OnBatch(new EventBatch<T>(items, 0, count), batch.Sequence + start);
            }
            finally
            {
                _copied.End(count);
            }

            Last = batch.Sequence + start + count - 1;
            batch.Complete(start + count);
        }
    }
}

/// <summary>An async batch handler of theirs on our ring.</summary>
internal sealed class AsyncBatchesOnRaceway<T>(IAsyncBatchEventHandler<T> handler) : HooksOnRaceway(handler), IAsyncBatchHandler<T>
    where T : class
{
    private Copied<T> _copied = new();

    public async ValueTask OnBatchAsync(AsyncBatch<T> batch, CancellationToken cancellation)
    {
        for (int start = 0, count; start < batch.Count; start += count)
        {
            count = Math.Min(Most, batch.Count - start);
            T[] items = _copied.Begin(count);
            for (int i = 0; i < count; i++) items[i] = batch[start + i];
            try
            {
                await handler.OnBatch(new EventBatch<T>(items, 0, count), batch.Sequence + start).ConfigureAwait(false);
            }
            finally
            {
                _copied.End(count);
            }

            Last = batch.Sequence + start + count - 1;
            batch.Complete(start + count);
        }
    }
}

/// <summary>An event handler of theirs on our ring, a batch at a time: theirs are told where one begins and ends.</summary>
internal abstract class SinglesOnRaceway<T>(IEventHandler handler) : HooksOnRaceway(handler), IBatchHandler<T>
{
    public void OnBatch(Batch<T> batch)
    {
        int done = 0;
        try
        {
            while (done < batch.Count)
            {
                int end = Math.Min(Most, batch.Count - done) + done;
                Begin(end - done);
                for (; done < end; done++)
                {
                    Last = batch.Sequence + done;
                    Take(ref batch[done], Last, done == end - 1);
                }
            }
        }
        catch
        {
            batch.Complete(done);
            throw;
        }
    }

    protected abstract void Begin(int count);

    protected abstract void Take(ref T item, long sequence, bool endOfBatch);
}

/// <inheritdoc/>
internal sealed class EventsOnRaceway<T>(global::Disruptor.IEventHandler<T> handler) : SinglesOnRaceway<T>(handler)
    where T : class
{
    protected override void Begin(int count) => handler.OnBatchStart(count);

    protected override void Take(ref T item, long sequence, bool endOfBatch) => handler.OnEvent(item, sequence, endOfBatch);
}

/// <inheritdoc/>
internal sealed class ValuesOnRaceway<T>(IValueEventHandler<T> handler) : SinglesOnRaceway<T>(handler)
    where T : struct
{
    protected override void Begin(int count) => handler.OnBatchStart(count);

    protected override void Take(ref T item, long sequence, bool endOfBatch) => handler.OnEvent(ref item, sequence, endOfBatch);
}
