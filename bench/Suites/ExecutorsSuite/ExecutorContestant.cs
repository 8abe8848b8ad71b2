using Raceway.Measuring;

// Callers with several calls under way keep value tasks, each of which they await once.
#pragma warning disable CA2012

namespace Raceway.Suites.ExecutorsSuite;

/// <summary>How a caller calls.</summary>
public enum Calling
{
    /// <summary>It awaits each call before the next.</summary>
    RoundTrip,

    /// <summary>It makes 100 calls, and then awaits them.</summary>
    Burst,

    /// <summary>It has up to 1,024 calls under way.</summary>
    Window,

    /// <summary>It gives 100 calls at once, where the executor can take them so.</summary>
    Many,
}

/// <summary>Callers, each of which calls an executor of its own, or all of them one.</summary>
/// <typeparam name="T">What a call is given.</typeparam>
public sealed class ExecutorContestant<T>(
    string name, Func<IStream<T>> create, Calling calling, int callers = 1, bool shared = false) : ScenarioContestant(name)
    where T : struct, IMessage<T>
{
    private const int BurstSize = 100;
    private const int WindowSize = 1024;

    private TaskCompletionSource _start = new();
    private IStream<T>[] _streams = [];
    private Ledger[] _ledgers = [];
    private Task<long>[] _loops = [];
    private Task _all = Task.CompletedTask;

    /// <inheritdoc/>
    public override int BusyThreads => 0;

    /// <summary>Whether the first caller spoils a result: the round must then not be verified.</summary>
    public bool Corrupts { get; set; }

    /// <inheritdoc/>
    protected override void Prepare(long operations)
    {
        _start = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        _streams = [.. Enumerable.Range(0, shared ? 1 : callers).Select(_ => create())];
        _ledgers = [.. Enumerable.Range(0, callers).Select(static _ => new Ledger())];
        // They wait for the start: what a caller itself allocates is not part of the round.
        _loops = [.. Enumerable.Range(0, callers).Select(index => CallAsync(index, CountOf(index, operations)))];
        _all = Task.WhenAll(_loops);
    }

    /// <inheritdoc/>
    protected override void Work(long operations, CancellationToken cancellation)
    {
        _start.SetResult();
        _all.Wait(cancellation);
    }

    /// <inheritdoc/>
    protected override bool Finish(long operations, out IReadOnlyList<Count> further)
    {
        further = [];
        foreach (IStream<T> stream in _streams) stream.DisposeAsync().AsTask().Wait();
        bool verified = true;
        for (int i = 0; i < callers; i++)
        {
            long count = CountOf(i, operations);
            verified &= _loops[i].Result == T.Expected(count) && _ledgers[i].InOrder && _ledgers[i].Count is var done
                && (done == 0 || done == count);
        }

        return verified;
    }

    private long CountOf(int index, long operations) => operations / callers + (index < operations % callers ? 1 : 0);

    private async Task<long> CallAsync(int index, long count)
    {
        IStream<T> stream = _streams[shared ? 0 : index];
        Ledger ledger = _ledgers[index];
        ValueTask<long>[] window = calling is Calling.Window or Calling.Burst
            ? new ValueTask<long>[calling == Calling.Burst ? BurstSize : WindowSize]
            : [];
        var messages = new T[calling == Calling.Many ? BurstSize : 0];
        long[] results = new long[messages.Length];
        await _start.Task.ConfigureAwait(false);
        long sum = Corrupts && index == 0 ? 1 : 0;
        switch (calling)
        {
            case Calling.RoundTrip:
                for (long i = 0; i < count; i++) sum += await stream.ExecuteAsync(T.Create(ledger, i)).ConfigureAwait(false);
                break;
            case Calling.Window:
                for (long i = 0; i < count; i++)
                {
                    int slot = (int)(i % WindowSize);
                    if (i >= WindowSize) sum += await window[slot].ConfigureAwait(false);
                    window[slot] = stream.ExecuteAsync(T.Create(ledger, i));
                }

                for (long i = Math.Max(0, count - WindowSize); i < count; i++)
                    sum += await window[(int)(i % WindowSize)].ConfigureAwait(false);
                break;
            case Calling.Burst:
                for (long i = 0; i < count; i += BurstSize)
                {
                    int size = (int)Math.Min(BurstSize, count - i);
                    for (int j = 0; j < size; j++) window[j] = stream.ExecuteAsync(T.Create(ledger, i + j));
                    for (int j = 0; j < size; j++) sum += await window[j].ConfigureAwait(false);
                }

                break;
            default:
                for (long i = 0; i < count; i += BurstSize)
                {
                    int size = (int)Math.Min(BurstSize, count - i);
                    if (size < messages.Length) messages = new T[size];
                    for (int j = 0; j < size; j++) messages[j] = T.Create(ledger, i + j);
                    await stream.ExecuteManyAsync(messages, results).ConfigureAwait(false);
                    for (int j = 0; j < size; j++) sum += results[j];
                }

                break;
        }

        return sum;
    }
}
