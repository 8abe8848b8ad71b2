using System.CommandLine;
using System.Globalization;

namespace Raceway.RabbitBench;

/// <summary>Options that are whole numbers within limits.</summary>
internal static class Numbers
{
    public static Option<int> Option(string name, string description, int fallback, int least, int most) => new(name)
    {
        Description = description,
        DefaultValueFactory = _ => fallback,
        CustomParser = result =>
        {
            string text = string.Join(' ', result.Tokens);
            if (int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out int value) && value >= least && value <= most)
                return value;
            result.AddError($"{name} must be a whole number from {least} to {most}: value='{text}'. The default is {fallback}.");
            return fallback;
        },
    };
}
