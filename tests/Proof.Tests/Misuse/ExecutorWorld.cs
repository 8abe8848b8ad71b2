namespace Raceway.Proof.Tests.Misuse;

/// <summary>A serial and a parallel executor: every member by any thread.</summary>
internal sealed class ExecutorWorld : World<long>
{
    private const May Calling = May.Ended | May.Cancel | May.Misuse;
    private readonly SerialExecutor _serial;
    private readonly ParallelExecutor _parallel;
    private readonly int _turns;
    private long _inSerial;
    private long _inParallel;
    private bool _serialEnded;
    private bool _parallelEnded;

    public ExecutorWorld(Setting setting)
        : base(setting.Ledger)
    {
        Dice dice = setting.Dice;
        _serial = new SerialExecutor(new SerialExecutorOptions
        {
            Capacity = dice.OneIn(2) ? int.MaxValue : dice.Next(1, 8),
            RunDirectlyWhenIdle = dice.OneIn(3),
            AllowSynchronousContinuations = dice.OneIn(3),
        });
        _turns = dice.Next(1, 3);
        _parallel = new ParallelExecutor(_turns);
        AddSerial();
        AddMany();
        AddParallel();
        AddLife();
    }

    public override bool HasEnded => Volatile.Read(ref _serialEnded) || Volatile.Read(ref _parallelEnded);

    public override void Rescue()
    {
        _serialEnded = _parallelEnded = true;
        _serial.Complete();
        _parallel.Complete();
    }

    public override string Describe() => $"{_serial}, {_parallel}";

    public override async Task EndAsync(Dice dice)
    {
        _serialEnded = _parallelEnded = true;
        await _serial.DisposeAsync();
        await _parallel.DisposeAsync();
        if (!_serial.Completion.IsCompletedSuccessfully || !_parallel.Completion.IsCompletedSuccessfully) Ledger.Fault("disposed, and not completed");
        Ledger.Check(0, strictly: true);
    }

    private void AddSerial()
    {
        Add("Serial.ExecuteAsync(func)", 10, Calling, (ref h) =>
        {
            Items items = Begin(h.Player, out CancellationToken token, out bool waits);
            Follow(h.Player, _serial.ExecuteAsync(items.First, InSerial, token), items, waits);
        }, waits: true);
        Add("Serial.ExecuteAsync(in func)", 8, Calling, (ref h) =>
        {
            Items items = Begin(h.Player, out CancellationToken token, out bool waits);
            long state = items.First;
            Follow(h.Player, _serial.ExecuteAsync(in state, (in long item) => InSerial(item), token), items, waits);
        }, waits: true);
        Add("Serial.ExecuteAsync(async)", 8, Calling, (ref h) =>
        {
            Items items = Begin(h.Player, out CancellationToken token, out bool waits);
            Follow(h.Player, _serial.ExecuteAsync(items.First, InSerialAsync, token), items, waits);
        }, waits: true);
        Add("TryExecute(func)", 8, Calling, (ref h) =>
        {
            Items items = Begin(h.Player, out CancellationToken token, out bool waits);
            bool taken = _serial.TryExecute(items.First, InSerial, out ValueTask<long> task, token);
            if (taken) Follow(h.Player, task, items, waits);
            else h.Player.Told(items, ClaimStatus.Full);
        }, waits: true);
        Add("TryExecute(in func)", 6, Calling, (ref h) =>
        {
            Items items = Begin(h.Player, out CancellationToken token, out bool waits);
            long state = items.First;
            bool taken = _serial.TryExecute(in state, (in long item) => InSerial(item), out ValueTask<long> task, token);
            if (taken) Follow(h.Player, task, items, waits);
            else h.Player.Told(items, ClaimStatus.Full);
        }, waits: true);
        Add("TryExecute(async)", 6, Calling, (ref h) =>
        {
            Items items = Begin(h.Player, out CancellationToken token, out bool waits);
            bool taken = _serial.TryExecute(items.First, InSerialAsync, out ValueTask<long> task, token);
            if (taken) Follow(h.Player, task, items, waits);
            else h.Player.Told(items, ClaimStatus.Full);
        }, waits: true);
    }

    private void AddMany()
    {
        Add("ExecuteManyAsync(func)", 3, Calling | May.Argument, (ref h) =>
            Many(h.Player, (items, results, token) => _serial.ExecuteManyAsync(items, results, InSerial, token)), waits: true, group: true);
        Add("ExecuteManyAsync(in func)", 3, Calling | May.Argument, (ref h) =>
            Many(h.Player, (items, results, token) => _serial.ExecuteManyAsync(items, results, (in long item) => InSerial(item), token)),
            waits: true, group: true);
        Add("ExecuteManyAsync(async)", 3, Calling | May.Argument, (ref h) =>
            Many(h.Player, (items, results, token) => _serial.ExecuteManyAsync(items, results, InSerialAsync, token)), waits: true, group: true);
        Add("Serial.WaitForRoomAsync", 4, May.Cancel, (ref h) =>
        {
            bool waits = h.Player.Dice.OneIn(4);
            h.Player.Follow(_serial.WaitForRoomAsync(h.Player.Token()).AsTask(), May.Cancel, waits);
        }, waits: true);
        Add("cancel what waits", 4, May.Return, (ref h) => h.Player.CancelLater());
    }

    private void AddParallel()
    {
        Add("Parallel.ExecuteAsync(func)", 10, Calling, (ref h) =>
        {
            Items items = Begin(h.Player, out CancellationToken token, out bool waits);
            Follow(h.Player, _parallel.ExecuteAsync(items.First, InParallel, token), items, waits);
        }, waits: true);
        Add("Parallel.ExecuteAsync(in func)", 8, Calling, (ref h) =>
        {
            Items items = Begin(h.Player, out CancellationToken token, out bool waits);
            long state = items.First;
            Follow(h.Player, _parallel.ExecuteAsync(in state, (in long item) => InParallel(item), token), items, waits);
        }, waits: true);
        Add("Parallel.ExecuteAsync(async)", 8, Calling, (ref h) =>
        {
            Items items = Begin(h.Player, out CancellationToken token, out bool waits);
            Follow(h.Player, _parallel.ExecuteAsync(items.First, InParallelAsync, token), items, waits);
        }, waits: true);
    }

    private void AddLife()
    {
        Add("Complete", 1, May.Return, (ref h) =>
        {
            if (!h.Player.Dice.OneIn(16)) return;
            if (h.Player.Dice.OneIn(2)) { Volatile.Write(ref _serialEnded, true); _serial.Complete(); }
            else { Volatile.Write(ref _parallelEnded, true); _parallel.Complete(); }
        });
        Add("DisposeAsync", 1, May.Return, (ref h) =>
        {
            if (!h.Player.Dice.OneIn(24)) return;
            if (h.Player.Dice.OneIn(2)) { Volatile.Write(ref _serialEnded, true); h.Player.Follow(_serial.DisposeAsync().AsTask(), May.Return); }
            else { Volatile.Write(ref _parallelEnded, true); h.Player.Follow(_parallel.DisposeAsync().AsTask(), May.Return); }
        });
        Add("ToString, Completion", 6, May.Return, (ref h) =>
        {
            if (_serial.ToString().Length == 0 || _parallel.ToString().Length == 0 || _parallel.MaxConcurrency != _turns) Ledger.Fault("no text");
            if (_serial.Completion.IsCompleted && !Volatile.Read(ref _serialEnded)) Ledger.Fault("completed too early");
            if (_parallel.Completion.IsCompleted && !Volatile.Read(ref _parallelEnded)) Ledger.Fault("completed too early");
        });
    }

    private static Items Begin(Player player, out CancellationToken token, out bool waits)
    {
        waits = player.Dice.OneIn(3);
        token = player.Token();
        return player.Make(1);
    }

    private void Follow(Player player, ValueTask<long> task, in Items items, bool waits)
    {
        long item = items.First;
        async ValueTask Look()
        {
            long result = await task.ConfigureAwait(false);
            if (result != item + 1) Ledger.Fault($"called with {item}, returned {result}");
        }

        // Of an async handler that heeds its token it may have begun.
        player.Follow(Look(), items, Calling, isGroup: true, waits);
    }

    private void Many(Player player, Func<long[], Memory<long>, CancellationToken, ValueTask> call)
    {
        bool waits = player.Dice.OneIn(3);
        CancellationToken token = player.Token();
        Items items = player.Make(player.Dice.Next(1, 5));
        long[] states = [.. Enumerable.Range(0, items.Count).Select(i => items.First + i)];
        long[] results = new long[items.Count - (player.Dice.OneIn(8) ? 1 : 0)];
        ValueTask task = call(states, results, token);
        async ValueTask Look()
        {
            await task.ConfigureAwait(false);
            for (int i = 0; i < states.Length; i++)
                if (results[i] != states[i] + 1) Ledger.Fault($"called with {states[i]}, returned {results[i]}");
        }

        player.Follow(Look(), items, Calling, isGroup: true, waits);
    }

    private long InSerial(long item)
    {
        if (Interlocked.Exchange(ref _inSerial, 1) != 0) Ledger.Fault("a serial executor runs two calls at a time");
        Ledger.Came(0, item);
        Volatile.Write(ref _inSerial, 0);
        return item % 16 == 3 ? throw new FromHandlerException() : item + 1;
    }

    private async ValueTask<long> InSerialAsync(long item, CancellationToken cancellation)
    {
        if (Interlocked.Exchange(ref _inSerial, 1) != 0) Ledger.Fault("a serial executor runs two calls at a time");
        Ledger.Came(0, item);
        if (item % 3 == 0) await Task.Yield();
        Volatile.Write(ref _inSerial, 0);
        return item % 16 == 3 ? throw new FromHandlerException() : item + 1;
    }

    private long InParallel(long item)
    {
        if (Interlocked.Increment(ref _inParallel) > _turns) Ledger.Fault("a parallel executor runs too many calls at a time");
        Ledger.Came(0, item);
        Interlocked.Decrement(ref _inParallel);
        return item % 16 == 3 ? throw new FromHandlerException() : item + 1;
    }

    private async ValueTask<long> InParallelAsync(long item, CancellationToken cancellation)
    {
        if (Interlocked.Increment(ref _inParallel) > _turns) Ledger.Fault("a parallel executor runs too many calls at a time");
        Ledger.Came(0, item);
        if (item % 3 == 0) await Task.Yield();
        Interlocked.Decrement(ref _inParallel);
        return item % 16 == 3 ? throw new FromHandlerException() : item + 1;
    }
}
