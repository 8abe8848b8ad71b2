using System.Threading.Tasks.Sources;

namespace Raceway.Interop.Distributed;

/// <summary>Wakes one waiter that awaits; a pulse without a waiter is kept for the next. Allocates nothing.</summary>
internal sealed class Pulse : IValueTaskSource
{
    private const int None = 0;
    private const int Waiting = 1;
    private const int Set = 2;

    private ManualResetValueTaskSourceCore<bool> _core;
    private int _state;

    /// <summary>Completes with the next pulse, or at once where there was one. By one waiter at a time.</summary>
    public ValueTask WaitAsync()
    {
        _core.Reset();
        short version = _core.Version;
        if (Interlocked.CompareExchange(ref _state, Waiting, None) == None) return new ValueTask(this, version);
        Volatile.Write(ref _state, None);
        return ValueTask.CompletedTask;
    }

    /// <summary>Wakes the waiter; it goes on in this call.</summary>
    public void Signal()
    {
        if (Interlocked.CompareExchange(ref _state, Set, None) == None) return;
        if (Interlocked.CompareExchange(ref _state, None, Waiting) == Waiting) _core.SetResult(true);
    }

    void IValueTaskSource.GetResult(short token) => _core.GetResult(token);

    ValueTaskSourceStatus IValueTaskSource.GetStatus(short token) => _core.GetStatus(token);

    void IValueTaskSource.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _core.OnCompleted(continuation, state, token, flags);
}
