using Raceway.Pipelines;

namespace Raceway.Testing;

/// <summary>How much <see cref="DispatchInvariance"/> tries. Everything has a default.</summary>
public sealed record InvarianceOptions
{
    /// <summary>Of how many items every cut into batches is tried: 2ⁿ − 1 runs. Default: 8. From 1 to 12.</summary>
    public int CutLength { get; init; } = 8;

    /// <summary>How many runs step the stages in an order of their own. Default: 16.</summary>
    public int Seeds { get; init; } = 16;

    /// <summary>The plans that are tried with threads. Default: all but <see cref="Plan.Manual"/>.</summary>
    public IReadOnlyList<Plan> Plans { get; init; } = [.. Enum.GetValues<Plan>().Where(static plan => plan != Plan.Manual)];

    /// <summary>Whether each visit of a fault point fails in turn. Default: true.</summary>
    /// <remarks>For stages that retry. A stage that skips what fails, or stops, has another result with a fault.</remarks>
    public bool Faults { get; init; } = true;

    /// <summary>Whether stages that may run at the same time may share a handler object. Default: false. True for one that is safe for it.</summary>
    public bool SharesHandlers { get; init; }

    /// <summary>How long one run may take by the machine's time. Default: 30 s; what takes longer counts as hanging.</summary>
    public TimeSpan Limit { get; init; } = TimeSpan.FromSeconds(30);

    internal void Check()
    {
        if (CutLength is < 1 or > 12)
            throw new ArgumentOutOfRangeException(nameof(CutLength), CutLength, "Each item more doubles the cuts: from 1 to 12. Give one of these.");
        ArgumentOutOfRangeException.ThrowIfNegative(Seeds);
        ArgumentNullException.ThrowIfNull(Plans);
        ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(Limit, TimeSpan.Zero);
        if (Plans.Contains(Plan.Manual))
            throw new ArgumentException("A plan here runs on threads: Plan.Manual is what cuts and seeds run under. Leave it out.", nameof(Plans));
    }
}

/// <summary>What <see cref="DispatchInvariance"/> has tried: all of it gave the same result.</summary>
/// <param name="Cuts">Runs by cuts into batches and by dispatch levels.</param>
/// <param name="Faults">Runs with a fault.</param>
/// <param name="Seeds">Runs in an order of their own.</param>
/// <param name="Plans">Runs on threads.</param>
public sealed record InvarianceReport(int Cuts, int Faults, int Seeds, int Plans);

/// <summary>A handler's result depends on how it is run. The message has the smallest items and the smallest cut that show it.</summary>
public sealed class InvarianceException : ContractException
{
    internal InvarianceException(string rule, string found, string setting, string? remedy, int items, IReadOnlyList<int> cut, Exception? cause)
        : base(rule, found, setting, remedy, cause) => (Items, Cut) = (items, cut);

    /// <summary>How many items it takes.</summary>
    public int Items { get; }

    /// <summary>The sizes of the batches, in their order; empty where the cut does not matter.</summary>
    public IReadOnlyList<int> Cut { get; }
}
