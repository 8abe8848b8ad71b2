namespace Raceway.Proof.Tests.Misuse;

/// <summary>What the threads of a case share, and the calls that they may make on it.</summary>
internal abstract class World
{
    protected World(Ledger ledger) => Ledger = ledger;

    public Ledger Ledger { get; }

    /// <summary>The weights of its operations, in their order.</summary>
    public abstract IReadOnlyList<int> Weights { get; }

    public abstract string NameOf(int operation);

    /// <summary>Whether it takes no more, so that a refusal for that reason is right.</summary>
    public abstract bool HasEnded { get; }

    /// <summary>The calls of a thread, one after another.</summary>
    public abstract void Play(Player player, IReadOnlyList<Step> steps);

    /// <summary>Nothing moves, as a call waits for what no thread will do: end what there is, at once.</summary>
    public abstract void Rescue();

    /// <summary>After the last call: ends everything, and checks what came of it.</summary>
    public abstract Task EndAsync(Dice dice);

    /// <summary>Its state, for a report.</summary>
    public abstract string Describe();
}

/// <summary>A world whose operations are about items of one type.</summary>
internal abstract class World<T>(Ledger ledger) : World(ledger)
{
    private readonly List<Operation<T>> _operations = [];

    public override IReadOnlyList<int> Weights => [.. _operations.Select(operation => operation.Weight)];

    public override string NameOf(int operation) => _operations[operation].Name;

    public override void Play(Player player, IReadOnlyList<Step> steps)
    {
        var hand = new Hand<T>(player);
        foreach (Step step in steps)
        {
            Operation<T> operation = _operations[step.Operation];
            player.Begin(operation.Name, operation.Waits, step.Seed);
            try
            {
                operation.Act(ref hand);
                player.Count("returned");
            }
            catch (Exception fault)
            {
                player.Threw(fault, operation.May, operation.IsGroup);
            }

            player.Over();
        }

        player.Begin("leaving", false, 0);
        try
        {
            Leave(ref hand);
        }
        catch (Exception fault)
        {
            player.Threw(fault, May.Publish, isGroup: true);
        }
    }

    /// <summary>What a thread does that returns: `using` ends what it still holds.</summary>
    protected virtual void Leave(ref Hand<T> hand)
    {
    }

    protected void Add(string name, int weight, May may, Act<T> act, bool waits = false, bool group = false)
    {
        // To look behind a finding: the operations whose names begin so are left out.
        if (s_without.Any(without => name.StartsWith(without, StringComparison.Ordinal))) weight = 0;
        _operations.Add(new Operation<T>(name, weight, may, act) { Waits = waits, IsGroup = group });
    }

    private static readonly string[] s_without =
        Environment.GetEnvironmentVariable("RACEWAY_WITHOUT")?.Split(',', StringSplitOptions.RemoveEmptyEntries) ?? [];
}
