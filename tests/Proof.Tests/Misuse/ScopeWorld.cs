namespace Raceway.Proof.Tests.Misuse;

/// <summary>Task scopes, used in any order, also after their end; one call at a time, as documented, by any thread.</summary>
internal sealed class ScopeWorld : World<long>
{
    private const May Using = May.Disposed | May.Misuse;
    private readonly Lock _gate = new();
    private TaskScope _scope = TaskScope.Rent();
    private ScopeResult<long> _result;
    private long _expected = -1;

    public ScopeWorld(Setting setting)
        : base(setting.Ledger)
    {
        AddForks();
        AddEnds();
    }

    public override bool HasEnded => true;

    public override void Rescue() => _ = _scope.DisposeAsync().AsTask();

    public override string Describe() => $"{_scope.GetHashCode()}";

    public override async Task EndAsync(Dice dice)
    {
        try
        {
            await _scope.DisposeAsync();
        }
        catch (InvalidOperationException)
        {
            // Its join is awaited by another just now.
        }

        Ledger.Check(0, strictly: true, allMayBeLost: true);
    }

    private void AddForks()
    {
        Add("Spawn(action)", 8, Using, (ref h) =>
        {
            long item = h.Player.Make();
            lock (_gate) _scope.Spawn(item, (work, _) => { Work(work); });
        });
        Add("Spawn(func)", 8, Using, (ref h) =>
        {
            long item = h.Player.Make();
            lock (_gate) Keep(_scope.Spawn(item, (work, _) => Work(work)), item);
        });
        Add("SpawnAsync(action)", 8, Using, (ref h) =>
        {
            long item = h.Player.Make();
            lock (_gate) _scope.SpawnAsync(item, async (work, _) => { await Task.Yield(); Work(work); });
        });
        Add("SpawnAsync(func)", 8, Using, (ref h) =>
        {
            long item = h.Player.Make();
            lock (_gate) Keep(_scope.SpawnAsync(item, async (work, _) => { await Task.Yield(); return Work(work); }), item);
        });
        Add("Add", 8, Using, (ref h) =>
        {
            long item = h.Player.Make();
            int way = h.Player.Dice.Next(4);
            Task<long> task = Task.Run(() => Work(item));
            // Whether the scope takes it or not, it runs.
            h.Player.Follow(task, May.Publish);
            lock (_gate)
            {
                if (way == 0) _scope.Add(task);
                else if (way == 1) _scope.Add((Task)task);
                else if (way == 2) _scope.Add(new ValueTask(task));
                else Keep(_scope.Add(new ValueTask<long>(task)), item);
            }
        }, group: true);
    }

    private void AddEnds()
    {
        Add("JoinAsync", 3, Using | May.Cancel, (ref h) =>
        {
            lock (_gate) h.Player.Follow(_scope.JoinAsync().AsTask(), Using | May.Cancel);
        });
        Add("DisposeAsync", 3, Using, (ref h) =>
        {
            lock (_gate) h.Player.Follow(_scope.DisposeAsync().AsTask(), Using);
        });
        Add("Rent", 4, Using, (ref h) =>
        {
            lock (_gate)
            {
                TaskScope before = _scope;
                _scope = h.Player.Dice.OneIn(2) ? TaskScope.Rent(h.Player.Token()) : TaskScope.RentFailFast(h.Player.Token());
                if (before == _scope || !(before != _scope) || before.Equals((object)_scope) || before.Equals(_scope)) Ledger.Fault("a scope that is another");
                h.Player.Follow(before.DisposeAsync().AsTask(), Using);
            }
        });
        Add("Token", 4, Using, (ref h) =>
        {
            lock (_gate) _ = _scope.Token.IsCancellationRequested;
        });
        Add("Value", 8, Using, (ref h) =>
        {
            lock (_gate)
            {
                long value = _result.Value;
                if (value != _expected) Ledger.Fault($"the result is {value}, not {_expected}");
                ScopeResult<long> same = _result;
                if (same != _result || !(same == _result) || !same.Equals((object)_result) || !same.Equals(_result)
                    || same.GetHashCode() != _result.GetHashCode())
                    Ledger.Fault("a result is not equal to itself");
            }
        });
        Add("cancel what waits", 4, May.Return, (ref h) => h.Player.CancelLater());
    }

    // Under the gate.
    private void Keep(ScopeResult<long> result, long item) => (_result, _expected) = (result, item + 1);

    private long Work(long item)
    {
        Ledger.Came(0, item);
        return item % 16 == 3 ? throw new FromHandlerException() : item + 1;
    }
}
