using Raceway.Rings;

namespace Raceway.Concurrency;

/// <summary>Does something with one message and an actor's state.</summary>
/// <typeparam name="TState">The state: the actor's own, seen by no other code.</typeparam>
/// <typeparam name="T">The message type.</typeparam>
public delegate void StateAction<TState, T>(ref TState state, T message);

/// <summary>A run of messages, as a receiver is given it.</summary>
/// <param name="items">Where they lie.</param>
/// <param name="memory">The same, for a receiver that goes on after an await.</param>
/// <param name="sequence">The first one's sequence.</param>
/// <param name="control">The mailbox's state, to stop in between.</param>
/// <param name="call">The mark of an async handler's call; null for others.</param>
/// <param name="cancellation">Signalled on halt and fault.</param>
internal readonly ref struct Delivery<T>(
    Span<T> items, ReadOnlyMemory<T> memory, long sequence, Control control, Reentrancy.Call? call, CancellationToken cancellation)
{
    public readonly Span<T> Items = items;
    public readonly ReadOnlyMemory<T> Memory = memory;
    public readonly long Sequence = sequence;
    public readonly Control Control = control;
    public readonly Reentrancy.Call? Call = call;
    public readonly CancellationToken Cancellation = cancellation;
}

/// <summary>Calls a mailbox's handler, whatever form it has.</summary>
internal abstract class Receiver<T>
{
    /// <summary>The handler, for its optional interfaces.</summary>
    public abstract object Handler { get; }

    /// <summary>Whether it may go on after an await.</summary>
    public virtual bool IsAsync => false;

    /// <summary>Whether the message behind those done is known to be the one that failed.</summary>
    public virtual bool FaultIsExact => true;

    /// <summary>Handles messages; <paramref name="done"/> says how many, also when it throws.</summary>
    /// <returns>Completed, or the task of those <paramref name="running"/> behind the ones done.</returns>
    public abstract ValueTask Receive(in Delivery<T> delivery, ref int done, ref int running);
}

internal sealed class ActionReceiver<T>(Action<T> handler) : Receiver<T>
{
    public override object Handler => handler.Target ?? handler;

    public override ValueTask Receive(in Delivery<T> delivery, ref int done, ref int running)
    {
        Control control = delivery.Control;
        foreach (ref T message in delivery.Items)
        {
            if (control.IsHalted) break;
            handler(message);
            done++;
        }

        return default;
    }
}

internal sealed class StateReceiver<TState, T>(TState state, StateAction<TState, T> handler) : Receiver<T>
{
    private TState _state = state;

    public override object Handler => _state ?? (object)handler;

    public override ValueTask Receive(in Delivery<T> delivery, ref int done, ref int running)
    {
        Control control = delivery.Control;
        foreach (ref T message in delivery.Items)
        {
            if (control.IsHalted) break;
            handler(ref _state, message);
            done++;
        }

        return default;
    }
}

internal sealed class EventReceiver<T>(IEventHandler<T> handler) : Receiver<T>
{
    public override object Handler => handler;

    public override ValueTask Receive(in Delivery<T> delivery, ref int done, ref int running)
    {
        Control control = delivery.Control;
        while (done < delivery.Items.Length && !control.IsHalted)
        {
            handler.OnEvent(ref delivery.Items[done], delivery.Sequence + done, done == delivery.Items.Length - 1);
            done++;
        }

        return default;
    }
}

internal sealed class BatchReceiver<T>(IBatchHandler<T> handler) : Receiver<T>
{
    public override object Handler => handler;

    public override bool FaultIsExact => false;

    public override ValueTask Receive(in Delivery<T> delivery, ref int done, ref int running)
    {
        handler.OnBatch(new Batch<T>(delivery.Items, delivery.Sequence));
        done = delivery.Items.Length;
        return default;
    }
}

internal sealed class AsyncReceiver<T>(Func<T, CancellationToken, ValueTask> handler) : Receiver<T>
{
    public override object Handler => handler.Target ?? handler;

    public override bool IsAsync => true;

    public override ValueTask Receive(in Delivery<T> delivery, ref int done, ref int running)
    {
        while (done < delivery.Items.Length && !delivery.Control.IsHalted)
        {
            ValueTask task = handler(delivery.Items[done], delivery.Cancellation);
            // What it has started elsewhere may go on with the mark of this call: the next message is another call's.
            if (!task.IsCompletedSuccessfully || delivery.Call is { IsSpread: true })
            {
                running = 1;
                return task;
            }

            // Takes the result, so that a pooled source is given back.
            task.GetAwaiter().GetResult();
            done++;
        }

        return default;
    }
}

internal sealed class AsyncBatchReceiver<T>(Func<ReadOnlyMemory<T>, CancellationToken, ValueTask> handler) : Receiver<T>
{
    public override object Handler => handler.Target ?? handler;

    public override bool IsAsync => true;

    public override bool FaultIsExact => false;

    public override ValueTask Receive(in Delivery<T> delivery, ref int done, ref int running)
    {
        running = delivery.Memory.Length;
        return handler(delivery.Memory, delivery.Cancellation);
    }
}
