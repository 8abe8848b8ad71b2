using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace Raceway.Interop.Hosting;

/// <summary>Refuses options, and definitions that cannot be built by them, with all that is wrong.</summary>
internal sealed class OptionsCheck(IServiceProvider services, string pipeline) : IValidateOptions<HostedPipelineOptions>
{
    public ValidateOptionsResult Validate(string? name, HostedPipelineOptions options)
    {
        if (name != pipeline) return ValidateOptionsResult.Skip;
        // Asked for late: to make it needs no options, but what it is built by does.
        IReadOnlyList<string> problems = services.GetRequiredKeyedService<HostedPipeline>(pipeline).Check(options);
        return problems.Count == 0 ? ValidateOptionsResult.Success : ValidateOptionsResult.Fail(problems);
    }

    /// <summary>What is wrong with <paramref name="options"/>, apart from what the pipeline's building finds.</summary>
    public static IEnumerable<string> ProblemsOf(HostedPipelineOptions options, string path)
    {
        foreach (string problem in options.Unreadable) yield return problem;
        if (options.DrainTimeout != Timeout.InfiniteTimeSpan && !IsTimeout(options.DrainTimeout))
            yield return HostingErrors.NoTimeout($"{path}:{nameof(options.DrainTimeout)}", options.DrainTimeout, mayBeInfinite: true);
        if (!IsTimeout(options.HaltTimeout))
            yield return HostingErrors.NoTimeout($"{path}:{nameof(options.HaltTimeout)}", options.HaltTimeout, mayBeInfinite: false);
        if (options.StallAfter <= TimeSpan.Zero)
            yield return HostingErrors.NoPeriod($"{path}:{nameof(options.StallAfter)}", options.StallAfter);
        if (!(options.NearlyFull is > 0 and <= 1))
            yield return HostingErrors.NoShare($"{path}:{nameof(options.NearlyFull)}", options.NearlyFull);
        if (!Enum.IsDefined(options.OnFault))
            yield return HostingErrors.NotOneOf<FaultReaction>($"{path}:{nameof(options.OnFault)}", $"{options.OnFault}");
    }
    // Timers of the framework end at some weeks.
    private static bool IsTimeout(TimeSpan time) => time >= TimeSpan.Zero && time <= TimeSpan.FromDays(1);
}
