using System.Globalization;
using Raceway.Rings;

namespace Raceway.Pipelines;

/// <summary>What a <see cref="Remedy"/> changes.</summary>
public enum Knob
{
    /// <summary>Slots of a ring.</summary>
    Capacity,

    /// <summary>How a stage's handler is called: level and limits of its batches.</summary>
    Dispatch,

    /// <summary>How a stage waits.</summary>
    Wait,

    /// <summary>How producers wait for room.</summary>
    ProducerWait,

    /// <summary>How the stages are driven.</summary>
    Plan,

    /// <summary>How many workers share a stage's items, where its definition says <c>Workers</c>, or gives a number of them.</summary>
    Workers,
}

/// <summary>A change of one setting that a <see cref="Finding"/> advises: as a value, and as a sentence. Immutable.</summary>
public sealed record Remedy
{
    internal Remedy(Knob knob, object from, object to, string sentence, string? stage = null, int? ring = null)
    {
        (Knob, From, To, Sentence, Stage, Ring) = (knob, Text(from), Text(to), sentence, stage, ring);
        switch (to)
        {
            case Dispatch dispatch: Dispatch = dispatch; break;
            case Wait wait: Wait = wait; break;
            case Plan plan: Plan = plan; break;
            case int count when knob == Knob.Workers: Workers = count; break;
            case int count: Capacity = count; break;
        }
    }

    /// <summary>What to change. The property of that name has the new value; the others are null.</summary>
    public Knob Knob { get; }

    /// <summary>The stage to set it for; null if it is a setting of a ring or of the pipeline.</summary>
    public string? Stage { get; }

    /// <summary>The ring to set it for; null if it is a setting of a stage or of the pipeline.</summary>
    public int? Ring { get; }

    /// <summary>The setting as it is; <c>?</c> where that is not known.</summary>
    public string From { get; }

    /// <summary>The setting as it should be.</summary>
    public string To { get; }

    /// <summary>The advice as a sentence.</summary>
    public string Sentence { get; }

    /// <summary>Slots, for <see cref="Knob.Capacity"/>.</summary>
    public int? Capacity { get; }

    /// <summary>The dispatch, for <see cref="Knob.Dispatch"/>.</summary>
    public Dispatch? Dispatch { get; }

    /// <summary>The wait, for <see cref="Knob.Wait"/> and <see cref="Knob.ProducerWait"/>.</summary>
    public Wait? Wait { get; }

    /// <summary>The plan, for <see cref="Knob.Plan"/>.</summary>
    public Plan? Plan { get; }

    /// <summary>Workers, for <see cref="Knob.Workers"/>.</summary>
    public int? Workers { get; }

    /// <summary>The sentence, with the setting before and after.</summary>
    public override string ToString()
    {
        string owner = Stage is not null ? $" of '{Stage}'" : Ring is { } ring ? $" of ring {ring}" : "";
        return $"{Sentence} ({Knob}{owner}: {From} -> {To})";
    }

    private static string Text(object value) => value switch
    {
        int count => count.ToString(CultureInfo.InvariantCulture),
        _ => value.ToString()!,
    };
}
