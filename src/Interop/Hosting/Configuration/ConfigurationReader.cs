using System.Globalization;
using Microsoft.Extensions.Configuration;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Interop.Hosting;

/// <summary>Reads a pipeline's section of the configuration.</summary>
/// <remarks>
/// Not the framework's binder: that ends at the first value which it cannot convert, and passes over keys that it does not know,
/// so a typing error would go unseen. Here every problem of a section is found at once.
/// </remarks>
internal sealed class ConfigurationReader(HostedPipelineOptions options)
{
    /// <summary>Where the sections of all pipelines lie.</summary>
    public const string Root = "Raceway:Pipelines";

    private static readonly string[] s_keys =
    [
        nameof(options.Capacity), nameof(options.Plan), nameof(options.Wait), nameof(options.Stages), nameof(options.DrainTimeout),
        nameof(options.HaltTimeout), nameof(options.OnFault), nameof(options.StallAfter), nameof(options.NearlyFull),
    ];

    private static readonly string[] s_stageKeys =
    [
        nameof(StageDispatchOptions.Dispatch), nameof(StageDispatchOptions.Max), nameof(StageDispatchOptions.Min),
        nameof(StageDispatchOptions.MaxAge), nameof(StageDispatchOptions.ProgressInterval), nameof(StageDispatchOptions.MaxWeight),
    ];

    private readonly List<string> _problems = options.Unreadable;

    /// <summary>The section of the pipeline <paramref name="name"/>.</summary>
    public static string PathOf(string name) => $"{Root}:{name}";

    /// <summary>Sets what <paramref name="section"/> says.</summary>
    public void Read(IConfigurationSection section)
    {
        CheckSection(section);
        foreach (IConfigurationSection key in section.GetChildren())
        {
            switch (Known(key, s_keys))
            {
                case nameof(options.Capacity): Whole<int>(key, value => options.Capacity = value, "4096"); break;
                case nameof(options.Plan): One<Plan>(key, value => options.Plan = value); break;
                case nameof(options.Wait): ReadWait(key); break;
                case nameof(options.Stages): ReadStages(key); break;
                case nameof(options.DrainTimeout): Time(key, value => options.DrainTimeout = value); break;
                case nameof(options.HaltTimeout): Time(key, value => options.HaltTimeout = value); break;
                case nameof(options.OnFault): One<FaultReaction>(key, value => options.OnFault = value); break;
                case nameof(options.StallAfter): Time(key, value => options.StallAfter = value); break;
                case nameof(options.NearlyFull):
                    Parsed<double>(key, value => options.NearlyFull = value, "a number", "Use for example 0.9.");
                    break;
                default: break;
            }
        }
    }

    private void ReadStages(IConfigurationSection stages)
    {
        CheckSection(stages);
        foreach (IConfigurationSection stage in stages.GetChildren())
        {
            if (!options.Stages.TryGetValue(stage.Key, out StageDispatchOptions? dispatch))
                options.Stages.Add(stage.Key, dispatch = new StageDispatchOptions());
            if (!stage.GetChildren().Any()) _problems.Add(HostingErrors.SettingsOfNothing(stage.Path));
            else CheckSection(stage);
            foreach (IConfigurationSection key in stage.GetChildren())
            {
                switch (Known(key, s_stageKeys))
                {
                    case nameof(dispatch.Dispatch): One<DispatchLevel>(key, value => dispatch.Dispatch = value); break;
                    case nameof(dispatch.Max): Whole<int>(key, value => dispatch.Max = value, "256"); break;
                    case nameof(dispatch.Min): Whole<int>(key, value => dispatch.Min = value, "16"); break;
                    case nameof(dispatch.MaxAge): Time(key, value => dispatch.MaxAge = value); break;
                    case nameof(dispatch.ProgressInterval): Whole<int>(key, value => dispatch.ProgressInterval = value, "64"); break;
                    case nameof(dispatch.MaxWeight): Whole<long>(key, value => dispatch.MaxWeight = value, "65536"); break;
                    default: break;
                }
            }
        }
    }

    private string? Known(IConfigurationSection key, string[] known)
    {
        string? name = Array.Find(known, name => name.Equals(key.Key, StringComparison.OrdinalIgnoreCase));
        if (name is null) _problems.Add(HostingErrors.UnknownKey(key.Path, known));
        // A setting that is one value has nothing below it.
        else if (name != nameof(options.Stages))
            foreach (IConfigurationSection below in key.GetChildren()) _problems.Add(HostingErrors.UnknownKey(below.Path, known));
        return name;
    }

    private void CheckSection(IConfigurationSection section)
    {
        if (!string.IsNullOrEmpty(section.Value)) _problems.Add(HostingErrors.NoSection(section.Path, section.Value));
    }

    private void ReadWait(IConfigurationSection key)
    {
        if (Wait.All.FirstOrDefault(wait => wait.Name.Equals(key.Value, StringComparison.OrdinalIgnoreCase)) is { } wait)
            options.Wait = wait;
        else
            Refuse(key, $"one of {string.Join(", ", Wait.All.Select(wait => wait.Name))}", "Use one of them.");
    }

    private void One<TEnum>(IConfigurationSection key, Action<TEnum> set)
        where TEnum : struct, Enum
    {
        // By names alone: the framework takes numbers and lists as well, also where they name nothing.
        string? name = Array.Find(Enum.GetNames<TEnum>(), name => name.Equals(key.Value, StringComparison.OrdinalIgnoreCase));
        if (name is null) _problems.Add(HostingErrors.NotOneOf<TEnum>(key.Path, key.Value ?? ""));
        else set(Enum.Parse<TEnum>(name));
    }

    private void Time(IConfigurationSection key, Action<TimeSpan> set)
    {
        const string rule = "a time, or \"infinite\"", remedy = "Use for example 00:00:10 for ten seconds.";
        if (string.Equals(key.Value, "infinite", StringComparison.OrdinalIgnoreCase)) set(Timeout.InfiniteTimeSpan);
        // A bare number would be taken for days.
        else if (key.Value?.Contains(':', StringComparison.Ordinal) is true) Parsed(key, set, rule, remedy);
        else Refuse(key, rule, remedy);
    }

    private void Whole<TValue>(IConfigurationSection key, Action<TValue> set, string example)
        where TValue : IParsable<TValue> =>
        Parsed(key, set, "a whole number that fits", $"Use for example {example}.");

    private void Parsed<TValue>(IConfigurationSection key, Action<TValue> set, string rule, string remedy)
        where TValue : IParsable<TValue>
    {
        if (TValue.TryParse(key.Value, CultureInfo.InvariantCulture, out TValue? value)) set(value);
        else Refuse(key, rule, remedy);
    }

    private void Refuse(IConfigurationSection key, string rule, string remedy) =>
        _problems.Add(HostingErrors.Unreadable(key.Path, rule, key.Value, remedy));
}
