namespace Raceway.Concurrency;

/// <summary>A call of a <see cref="ParallelExecutor"/> that had to wait for its turn, or that has a suspended handler.</summary>
internal sealed class ParallelCall<TState, TResult, TInvoker> : SingleCall<TState, TResult, TInvoker>, IThreadPoolWorkItem
    where TInvoker : struct, IInvoker<TState, TResult>
{
    private readonly Action _resume;
    private ParallelExecutor? _owner;

    public ParallelCall() => _resume = Go;

    /// <summary>Says which executor's turn it uses.</summary>
    public void Belong(ParallelExecutor owner) => _owner = owner;

    /// <summary>Goes on when the suspended handler has ended.</summary>
    public void Suspend()
    {
        // Where it has ended meanwhile, going on by its source would cost a work item that the runtime allocates.
        if (IsReady) Go();
        else WhenReady(_resume);
    }

    void IThreadPoolWorkItem.Execute() => Go();

    /// <inheritdoc/>
    protected override Continuation End(TResult result)
    {
        // The turn first: code that goes on with the result finds it free.
        _owner!.Exit();
        return base.End(result);
    }

    /// <inheritdoc/>
    protected override Continuation End(Exception fault)
    {
        _owner!.Exit();
        return base.End(fault);
    }

    /// <inheritdoc/>
    protected override void Recycle()
    {
        Clear();
        _owner = null;
        Pool<ParallelCall<TState, TResult, TInvoker>>.Return(this);
    }

    private void Go()
    {
        var slice = new Slice(1);
        ParallelExecutor owner = _owner!;
        switch (Step(ref slice, out Continuation caller))
        {
            case WorkStep.Done:
                // Here, as with an await of the handler itself: no call waits for this thread.
                caller.Run();
                break;
            case WorkStep.Suspended:
                Suspend();
                break;
            case WorkStep.Skipped:
                // Its turn goes to another call.
                owner.Exit();
                break;
        }
    }
}
