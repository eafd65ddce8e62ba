{{- define "chappe.labels" -}}
app.kubernetes.io/name: chappe
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "chappe.selector" -}}
app.kubernetes.io/name: chappe
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- /* A setting as text, empty for one that is not set. Numbers of a file of values are floats: quoted as they are, a
million would be 1e+06. */}}
{{- define "chappe.setting" -}}
{{- if kindIs "string" . }}{{ . }}{{ else if not (kindIs "invalid" .) }}{{ toJson . }}{{ end }}
{{- end }}

{{- define "chappe.check" -}}
{{- if lt (int .Values.terminationGracePeriodSeconds) (add (int .Values.drainSeconds) 25) }}
{{- fail "terminationGracePeriodSeconds must be at least drainSeconds and 25: a stop takes up to 25 s after the drain" }}
{{- end }}
{{- if gt (int .Values.roles.smpp.replicas) 0 }}
{{- if not (or .Values.settings.CHAPPE_SMPP_PORT .Values.settings.CHAPPE_SMPP_TLS_PORT) }}
{{- fail "roles.smpp needs settings.CHAPPE_SMPP_PORT, such as 2775, or settings.CHAPPE_SMPP_TLS_PORT, such as 3550" }}
{{- end }}
{{- if and .Values.settings.CHAPPE_SMPP_TLS_PORT (not .Values.smppTls.secretName) }}
{{- fail "settings.CHAPPE_SMPP_TLS_PORT needs smppTls.secretName, a Secret of the type kubernetes.io/tls" }}
{{- end }}
{{- end }}
{{- end }}
