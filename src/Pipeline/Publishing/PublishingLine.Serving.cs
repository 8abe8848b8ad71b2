using Raceway.Rings;

namespace Raceway.Pipelines;

/// <content>The line itself, and how the calls in it get their room.</content>
/// <remarks>
/// While a call is in the line, it is certain to be looked at: either the line is attended (a server runs, is queued to the
/// pool, or is armed for room), or a thread has been called, and that one looks when it has published or given up.
/// </remarks>
internal sealed partial class PublishingLine<T>
{
    private readonly object _gate = new();
    private readonly Watch _watch;
    private WaitingCall<T>? _first;
    private WaitingCall<T>? _last;
    private bool _isAttended;
    private int _called;
    private int _waiting; // in the line, or called and not come yet
    private Progress? _armedOn;
    private bool _rests;

    /// <summary>Puts a call into the line. It is completed when it has been served, or is cancelled.</summary>
    public ValueTask Defer(Deferred<T> call, CancellationToken cancellation)
    {
        ValueTask task = call.TaskWithoutResult;
        Enqueue(call, cancellation);
        return task;
    }

    /// <inheritdoc cref="Defer"/>
    public ValueTask<bool> DeferForResult(Deferred<T> call, CancellationToken cancellation)
    {
        ValueTask<bool> task = call.Task;
        Enqueue(call, cancellation);
        return task;
    }

    /// <summary>The token of a deferred call asks it to leave.</summary>
    public void Cancel(Deferred<T> call)
    {
        Gate.Enter(_gate);
        bool leaves = call.Standing == Standing.Waits;
        call.IsCancelled = leaves || call.Standing == Standing.Served;
        if (leaves) Remove(call);
        bool isLast = leaves && _first is null;
        Gate.Exit(_gate);
        if (isLast) Recall();
        if (leaves) call.Complete();
    }

    private void Enqueue(Deferred<T> call, CancellationToken cancellation)
    {
        call.Line = this;
        Append(call);
        Attend();
        call.CancelBy(cancellation);
    }

    private void Append(WaitingCall<T> call)
    {
        Gate.Enter(_gate);
        call.Before = _last;
        if (_last is null) _first = call;
        else _last.Behind = call;
        _last = call;
        call.Standing = Standing.Waits;
        _waiting++;
        Gate.Exit(_gate);
    }

    private void Prepend(WaitingCall<T> call)
    {
        Gate.Enter(_gate);
        call.Behind = _first;
        if (_first is null) _last = call;
        else _first.Before = call;
        _first = call;
        call.Standing = Standing.Waits;
        _waiting++;
        Gate.Exit(_gate);
    }

    /// <summary>Takes a call out of the line, under the gate.</summary>
    private void Remove(WaitingCall<T> call)
    {
        if (call.Before is null) _first = call.Behind;
        else call.Before.Behind = call.Behind;
        if (call.Behind is null) _last = call.Before;
        else call.Behind.Before = call.Before;
        call.Before = call.Behind = null;
        call.Standing = Standing.Out;
        _waiting--;
    }

    /// <summary>Takes a thread's call out of the line; false where it has been called.</summary>
    private bool TryLeave(Turn<T> turn)
    {
        Gate.Enter(_gate);
        bool leaves = turn.Standing == Standing.Waits;
        if (leaves) Remove(turn);
        bool isLast = leaves && _first is null;
        Gate.Exit(_gate);
        if (isLast) Recall();
        return leaves;
    }

    /// <summary>Takes a thread's call out, wherever it is; the room that was kept for it is free for all.</summary>
    private void GiveUp(Turn<T> turn)
    {
        if (TryLeave(turn)) return;
        Gate.Enter(_gate);
        if (turn.Standing == Standing.Called)
        {
            turn.Standing = Standing.Out;
            _called--;
            _waiting--;
        }

        Gate.Exit(_gate);
    }

    /// <summary>Sees to it that the line is looked at.</summary>
    private void Attend()
    {
        Gate.Enter(_gate);
        // A thread that was called looks when it has come.
        bool attends = _first is not null && !_isAttended && _called == 0;
        _isAttended |= attends;
        Gate.Exit(_gate);
        if (!attends) return;
        if (_lending.TryEnter()) Run();
        else _watch.Queue();
    }

    /// <summary>Serves the line until it is empty, or the watch is armed for room. The caller has the producer, and gives it up.</summary>
    private void Run()
    {
        while (ServeAndExit(out WaitTarget target) && !TryArm(target))
        {
            if (_lending.TryEnter()) continue;
            // An async caller must not wait here for another call's writer.
            _watch.Queue();
            return;
        }
    }

    /// <returns>Whether calls are left that nothing else looks at; then what to wait for.</returns>
    private bool ServeAndExit(out WaitTarget target)
    {
        Deferred<T>? done = null;
        target = default;
        try
        {
            // Before the look for room: what changes behind it ends the wait.
            long seen = Ring.Control.Word;
            Serve(ref done);
            if (!HasToAttend()) return false;
            if (!_rests)
            {
                _rests = true;
                // Stages that held items back for a minimum do so no more: there may be room by now.
                seen = _producer.Claimer.BeginRest();
                Serve(ref done);
                if (!HasToAttend()) return false;
            }

            HasRoom(out Progress cell, out long awaited);
            target = new WaitTarget(cell, awaited, Clock.Never, Ring.Control, seen);
            return true;
        }
        finally
        {
            _lending.Exit();
            Complete(done);
        }
    }

    private bool HasToAttend()
    {
        Gate.Enter(_gate);
        bool attends = _isAttended = _first is not null && _called == 0;
        Gate.Exit(_gate);
        return attends;
    }

    private bool TryArm(in WaitTarget target)
    {
        Volatile.Write(ref _armedOn, target.Cell);
        target.Cell.Arm(_watch, target.Awaited);
        return !(target.IsOver && target.Cell.Disarm(_watch));
    }

    // The last call has left, so that stages may hold items back for a minimum again.
    private void Recall()
    {
        if (Volatile.Read(ref _armedOn) is { } cell && cell.Disarm(_watch)) _watch.Queue();
    }

    /// <summary>Gives the calls in the line their room, as far as it goes. The caller has the producer.</summary>
    private void Serve(ref Deferred<T>? done)
    {
        while (NextToServe() is { } call)
        {
            _lent = true;
            bool isServed = call.Serve(_producer);
            _lent = false;
            if (_checks) _producer.Claimer.ForgetThread();
            Gate.Enter(_gate);
            call.IsCancelled &= !isServed;
            bool leaves = isServed || call.IsCancelled;
            if (leaves) Remove(call);
            else call.Standing = Standing.Waits;
            Gate.Exit(_gate);
            if (!leaves) break;
            call.Next = done;
            done = call;
        }

        if (!_rests || Volatile.Read(ref _waiting) != 0) return;
        _rests = false;
        _producer.Claimer.EndRest();
    }

    /// <summary>Calls the threads that are first and have room, and returns the deferred call behind them that has.</summary>
    private Deferred<T>? NextToServe()
    {
        Deferred<T>? next = null;
        Gate.Enter(_gate);
        while (next is null && _first is { } first && (Ring.Control.IsClosed || HasRoomBesideCalled()))
        {
            next = first as Deferred<T>;
            if (next is not null)
            {
                next.Standing = Standing.Served;
                continue;
            }

            var turn = (Turn<T>)first;
            Remove(turn);
            turn.Standing = Standing.Called;
            _called++;
            _waiting++;
            turn.Call();
        }

        Gate.Exit(_gate);
        return next;
    }

    private bool HasRoomBehindOthers()
    {
        Gate.Enter(_gate);
        bool has = _first is null && HasRoomBesideCalled();
        Gate.Exit(_gate);
        return has;
    }

    // What is kept for threads that were called is not free.
    private bool HasRoomBesideCalled() => HasRoom(out _, out _) && (_called == 0 || _producer.Remaining > _called);

    private bool HasRoom(out Progress cell, out long awaited)
    {
        try
        {
            return _producer.Claimer.HasRoom(1, out cell, out awaited);
        }
        catch (SequenceExhaustedException)
        {
            // So that each call hears of it.
            (cell, awaited) = (Ring.Sequencer.Cursor, long.MinValue);
            return true;
        }
    }

    private void EnterForCertain()
    {
        while (true)
        {
            try
            {
                _lending.Enter();
                return;
            }
            catch (ThreadInterruptedException)
            {
                // The interrupt of a thread that serves others must not keep them waiting.
            }
        }
    }

    // In the order in which they were served.
    private static void Complete(Deferred<T>? done)
    {
        Deferred<T>? first = null;
        while (done is not null)
        {
            var next = (Deferred<T>?)done.Next;
            done.Next = first;
            first = done;
            done = next;
        }

        while (first is not null)
        {
            var next = (Deferred<T>?)first.Next;
            first.Complete();
            first = next;
        }
    }

    /// <summary>Waits for room for all that are in the line.</summary>
    private sealed class Watch(PublishingLine<T> line) : Waiter, IThreadPoolWorkItem
    {
        public void Queue() => ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);

        public void Execute()
        {
            line.EnterForCertain();
            line.Run();
        }

        internal override void Signal() => Queue();
    }
}
