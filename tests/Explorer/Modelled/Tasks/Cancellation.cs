using Raceway.Explorer.Engine;

namespace Raceway.Explorer.Modelled;

public sealed class OperationCanceledException(CancellationToken token) : System.OperationCanceledException
{
    public new CancellationToken CancellationToken { get; } = token;
}

/// <summary>Modelled <c>System.Threading.CancellationToken</c>.</summary>
public readonly struct CancellationToken(CancellationTokenSource? source)
{
    public static CancellationToken None => default;

    public bool IsCancellationRequested => source is { IsCancellationRequested: true };

    public void ThrowIfCancellationRequested()
    {
        if (IsCancellationRequested) throw new OperationCanceledException(this);
    }

    public CancellationTokenRegistration UnsafeRegister(Action<object?> callback, object? state) =>
        source?.Register(() => callback(state)) ?? default;

    public CancellationTokenRegistration Register(Action callback) => source?.Register(callback) ?? default;
}

/// <summary>Modelled <c>System.Threading.CancellationTokenSource</c>: callbacks run on the canceller's thread.</summary>
public sealed class CancellationTokenSource : IDisposable
{
    private readonly List<CancellationCallback> _callbacks = [];
    private CancellationTokenRegistration _link;
    private int[]? _known;
    private bool _cancelled;

    public CancellationToken Token => new(this);

    public bool IsCancellationRequested
    {
        get
        {
            if (Model.Me is { } me)
            {
                Model.Current.Point(me);
                if (_cancelled) Model.Current.Learn(me, _known);
            }

            return _cancelled;
        }
    }

    public static CancellationTokenSource CreateLinkedTokenSource(CancellationToken token)
    {
        var linked = new CancellationTokenSource();
        linked._link = token.UnsafeRegister(_ => linked.Cancel(), null);
        return linked;
    }

    public void Cancel()
    {
        if (!Begin()) return;
        List<Exception>? faults = null;
        foreach (CancellationCallback callback in Drain())
        {
            try
            {
                callback.Run();
            }
            catch (Exception e) when (e is not ExecutionOver)
            {
                (faults ??= []).Add(e);
            }
        }

        if (faults is not null) throw new AggregateException(faults);
    }

    public Task CancelAsync()
    {
        if (!Begin()) return Task.CompletedTask;
        CancellationCallback[] callbacks = [.. Drain()];
        return callbacks.Length == 0
            ? Task.CompletedTask
            : Task.Run(() =>
            {
                foreach (CancellationCallback callback in callbacks) callback.Run();
            });
    }

    public void CancelAfter(TimeSpan time)
    {
        ModelledTimer timer = Model.Current.AddTimer(Cancel);
        timer.Due = Model.Current.Now + time.Ticks * 100;
    }

    public bool TryReset() => !_cancelled;

    public void Dispose()
    {
        _link.Dispose();
        _callbacks.Clear();
    }

    internal CancellationTokenRegistration Register(Action action)
    {
        if (Model.Me is { } me) Model.Current.Point(me);
        var callback = new CancellationCallback(action);
        if (_cancelled) callback.Run();
        else _callbacks.Add(callback);
        return new CancellationTokenRegistration(this, callback);
    }

    internal bool Remove(CancellationCallback callback)
    {
        if (Model.Me is { } me) Model.Current.Point(me);
        return _callbacks.Remove(callback);
    }

    private bool Begin()
    {
        if (Model.Me is { } me)
        {
            Model.Current.Point(me);
            Model.Current.Meet(me, ref _known);
            Model.Current.Note(me, "cancels");
        }

        if (_cancelled) return false;
        _cancelled = true;
        return true;
    }

    private IEnumerable<CancellationCallback> Drain()
    {
        while (_callbacks.Count > 0)
        {
            CancellationCallback last = _callbacks[^1];
            _callbacks.RemoveAt(_callbacks.Count - 1);
            last.Runner = Model.Me;
            yield return last;
        }
    }
}

public sealed class CancellationCallback(Action action)
{
    private int[]? _known;

    internal ModelThread? Runner;

    public bool Done { get; private set; }

    public void Run()
    {
        try
        {
            action();
        }
        finally
        {
            Done = true;
            if (Model.Me is { } me) Model.Current.Teach(me, ref _known);
        }
    }

    /// <summary>Waits for a run on another thread.</summary>
    public void Await()
    {
        if (Model.Me is not { } me || Runner == me) return;
        Model.Current.Block(me, () => Done, "for a cancellation's callback");
        Model.Current.Learn(me, _known);
    }
}

public readonly struct CancellationTokenRegistration(CancellationTokenSource? source, CancellationCallback? callback) : IDisposable
{
    /// <summary>As <see cref="Dispose"/>, without waiting for a callback that runs.</summary>
    public void Unregister() => source?.Remove(callback!);

    public void Dispose()
    {
        if (source is null) return;
        if (!source.Remove(callback!) && callback!.Runner is not null) callback.Await();
    }
}
