using System.Diagnostics;
using System.Runtime.ExceptionServices;
using Raceway.Measuring;

namespace Raceway.Suites.RingSuite;

/// <summary>
/// The threads of one round: started beforehand, released together, timed until the last one is done.
/// </summary>
/// <remarks>
/// When one of them throws or the round is cancelled, <see cref="Cancellation"/> fires and the actions given to
/// <see cref="OnCancel"/> run, so that the others come to an end too.
/// </remarks>
public sealed class RoundThreads : IDisposable
{
    private readonly CancellationTokenSource _stop;
    private readonly CancellationToken _outer;
    private readonly List<Action> _roles = [];
    private readonly List<CancellationTokenRegistration> _onCancel = [];
    private readonly List<Action> _onEnd = [];
    private readonly ManualResetEventSlim _go = new(false, spinCount: 0);
    private readonly ManualResetEventSlim _done = new(false, spinCount: 0);
    private Exception? _error;
    private int _running;
    private long _ended;

    internal RoundThreads(CancellationToken cancellation)
    {
        _outer = cancellation;
        _stop = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
    }

    /// <summary>For the waiting loops of the threads: look at it when nothing else is to be done.</summary>
    public CancellationToken Cancellation => _stop.Token;

    /// <summary>Adds what one thread does.</summary>
    public void Add(Action role) => _roles.Add(role);

    /// <summary>
    /// Adds an asynchronous role: a thread starts it and waits for it; what follows an await runs on the pool.
    /// </summary>
    public void AddAsync(Func<Task> role) => _roles.Add(() => role().GetAwaiter().GetResult());

    /// <summary>Adds what wakes threads that do not look at the token, such as closing a queue.</summary>
    public void OnCancel(Action action) => _onCancel.Add(_stop.Token.Register(() =>
    {
        try
        {
            action();
        }
        catch (Exception)
        {
            // What cannot be closed any more is closed.
        }
    }));

    /// <summary>Adds what cleans up when every role has ended, also if the round failed.</summary>
    public void OnEnd(Action action) => _onEnd.Add(action);

    /// <summary>Runs the round.</summary>
    internal UsageReading Run()
    {
        _running = _roles.Count;
        using var ready = new CountdownEvent(_roles.Count);
        for (int i = 0; i < _roles.Count; i++)
        {
            int index = i;
            new Thread(() => Work(index, ready)) { IsBackground = true, Name = "roundThreads" }.Start();
        }

        ready.Wait();
        Usage usage = Usage.Start();
        _go.Set();
        _done.Wait();
        UsageReading reading = usage.Stop(_ended);
        _outer.ThrowIfCancellationRequested();
        if (_error is not null) ExceptionDispatchInfo.Throw(_error);
        return reading;
    }

    private void Work(int index, CountdownEvent ready)
    {
        ready.Signal();
        _go.Wait();
        Placement.StartApart(index);
        try
        {
            _roles[index]();
        }
        catch (Exception e)
        {
            // The first one is the cause; the rest follow from it.
            if (Interlocked.CompareExchange(ref _error, e, null) is null) _stop.Cancel();
        }

        if (Interlocked.Decrement(ref _running) != 0) return;
        _ended = Stopwatch.GetTimestamp();
        _done.Set();
    }

    /// <summary>Ends the round: no action of <see cref="OnCancel"/> runs any more, then those of <see cref="OnEnd"/> clean up.</summary>
    public void Dispose()
    {
        // Waits for an action that is running just now.
        foreach (CancellationTokenRegistration registration in _onCancel) registration.Dispose();
        _stop.Dispose();
        _go.Dispose();
        _done.Dispose();
        _onEnd.ForEach(static action => action());
    }
}
