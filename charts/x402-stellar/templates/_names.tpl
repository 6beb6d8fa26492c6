{{/* At most 63 characters, the limit of labels and Services. */}}
{{- define "x402-stellar.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "x402-stellar.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 63 | trimSuffix "-" }}
{{- else if contains (include "x402-stellar.name" .) .Release.Name }}
{{- .Release.Name | trunc 63 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name (include "x402-stellar.name" .) | trunc 63 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{/* The full name and a suffix: (list . "suffix"). The suffix is never cut. */}}
{{- define "x402-stellar.named" -}}
{{- $root := index . 0 }}
{{- $suffix := index . 1 }}
{{- $room := sub 62 (len $suffix) | int }}
{{- printf "%s-%s" (include "x402-stellar.fullname" $root | trunc $room | trimSuffix "-") $suffix }}
{{- end }}

{{- define "x402-stellar.serviceAccountName" -}}
{{- if .Values.serviceAccount.create }}
{{- default (include "x402-stellar.fullname" .) .Values.serviceAccount.name }}
{{- else }}
{{- default "default" .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{/* A digest decides what is pulled; a tag beside it is for people who read the pod. */}}
{{- define "x402-stellar.image" -}}
{{- $name := .Values.image.repository }}
{{- with (default dict .Values.global).imageRegistry }}
{{- $name = printf "%s/%s" . $name }}
{{- end }}
{{- if and .Values.image.digest .Values.image.tag }}
{{- printf "%s:%s@%s" $name .Values.image.tag .Values.image.digest }}
{{- else if .Values.image.digest }}
{{- printf "%s@%s" $name .Values.image.digest }}
{{- else }}
{{- printf "%s:%s" $name (default .Chart.AppVersion .Values.image.tag) }}
{{- end }}
{{- end }}

{{/* The lists of the chart and of a chart that contains it, as imagePullSecrets of a pod; nothing when both are empty. */}}
{{- define "x402-stellar.pullSecrets" -}}
{{- $all := concat .Values.imagePullSecrets (default list (default dict .Values.global).imagePullSecrets) }}
{{- if $all }}
imagePullSecrets: {{- toYaml $all | nindent 2 }}
{{- end }}
{{- end }}

{{- define "x402-stellar.selectorLabels" -}}
app.kubernetes.io/name: {{ include "x402-stellar.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: operator
{{- end }}

{{- define "x402-stellar.labels" -}}
{{ include "x402-stellar.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/part-of: x402-stellar
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* The name of the kind if objects of the Prometheus operator are created, else nothing. */}}
{{- define "x402-stellar.monitors" -}}
{{- $root := index . 0 }}
{{- $kind := index . 1 }}
{{- $known := $root.Capabilities.APIVersions.Has (printf "monitoring.coreos.com/v1/%s" $kind) }}
{{- if or (eq $root.Values.monitoring.mode "Always") (and $known (eq $root.Values.monitoring.mode "Auto")) }}
{{- $kind }}
{{- end }}
{{- end }}

{{/* The label job of every series of the operator, by which its alerts select those of this release. */}}
{{- define "x402-stellar.job" -}}
{{- printf "%s/%s" .Release.Namespace (include "x402-stellar.fullname" .) }}
{{- end }}

{{- define "x402-stellar.leaseName" -}}
{{- default (include "x402-stellar.fullname" .) .Values.leaderElection.leaseName }}
{{- end }}

{{/* The token, the certificate of the API server and the namespace, for a pod without an automatic mount. */}}
{{- define "x402-stellar.apiAccess" -}}
name: api-access
projected:
  defaultMode: 0440
  sources:
    - serviceAccountToken:
        path: token
        expirationSeconds: 3607
    - configMap:
        name: kube-root-ca.crt
        items:
          - key: ca.crt
            path: ca.crt
    - downwardAPI:
        items:
          - path: namespace
            fieldRef:
              fieldPath: metadata.namespace
{{- end }}
