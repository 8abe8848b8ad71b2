using Raceway.Rings;

namespace Raceway.Interop.Hosting;

/// <summary>How a stage is called, where that differs from its definition: what is null stays as it is.</summary>
public sealed class StageDispatchOptions
{
    /// <summary>The level.</summary>
    public DispatchLevel? Dispatch { get; set; }

    /// <inheritdoc cref="Dispatch.Max"/>
    public int? Max { get; set; }

    /// <inheritdoc cref="Dispatch.Min"/>
    public int? Min { get; set; }

    /// <inheritdoc cref="Dispatch.MaxAge"/>
    public TimeSpan? MaxAge { get; set; }

    /// <inheritdoc cref="Dispatch.ProgressInterval"/>
    public int? ProgressInterval { get; set; }

    /// <inheritdoc cref="Dispatch.MaxWeight"/>
    public long? MaxWeight { get; set; }

    private bool HasLimits =>
        Max is not null || Min is not null || MaxAge is not null || ProgressInterval is not null || MaxWeight is not null;

    /// <summary>What <paramref name="defined"/> becomes by these.</summary>
    /// <param name="defined">What the definition says.</param>
    /// <param name="path">Where these stand, for the messages.</param>
    /// <param name="problems">What is wrong with them.</param>
    /// <returns>Null where something is wrong.</returns>
    internal Dispatch? Over(Dispatch defined, string path, List<string> problems)
    {
        int before = problems.Count;
        DispatchLevel level = Dispatch ?? defined.Level;
        if (!Enum.IsDefined(level)) problems.Add(HostingErrors.NotOneOf<DispatchLevel>($"{path}:{nameof(Dispatch)}", $"{level}"));
        Dispatch asked = Rings.Dispatch.Of(level);
        if (!asked.HasLimits && HasLimits) problems.Add(HostingErrors.LimitsOfSingle(path));
        if (asked is { HasLimits: true, CallsBatches: false } && MaxWeight is not null) problems.Add(HostingErrors.WeightOfEach(path));
        AtLeast(nameof(Max), Max, 1);
        AtLeast(nameof(Min), Min, 1);
        AtLeast(nameof(ProgressInterval), ProgressInterval, 0);
        AtLeast(nameof(MaxWeight), MaxWeight, 1);
        if (problems.Count > before) return null;
        if (!asked.HasLimits) return asked;

        // The limits of "single" are not meant as limits of batches.
        Dispatch limits = defined.HasLimits ? defined : asked;
        int? max = Max ?? limits.Max;
        int min = Min ?? limits.Min, interval = ProgressInterval ?? limits.ProgressInterval;
        // The age of the definition is that of its minimum, and goes with it.
        TimeSpan age = MaxAge ?? (min == 1 ? Timeout.InfiniteTimeSpan : limits.MaxAge);
        try
        {
            return Rings.Dispatch.Of(level, max, min, age, interval, asked.CallsBatches ? MaxWeight ?? limits.MaxWeight : asked.MaxWeight);
        }
        catch (ArgumentException problem)
        {
            problems.Add(HostingErrors.At(path, problem));
            return null;
        }

        void AtLeast(string name, long? value, long least)
        {
            if (value < least) problems.Add(HostingErrors.TooSmall($"{path}:{name}", $"{value}", $"{least}"));
        }
    }
}
